// SPDX-License-Identifier: MIT
#include "results/reproduce/reproduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/errors.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

/// Four significant digits, or all of a whole part that is longer.
std::string number(double value) {
  const double size = std::abs(value);
  return size >= 1e4 && size < 1e9 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

/// "  - " and the text, broken between words at 110 columns.
std::string wrapped(const std::string& text) {
  constexpr std::size_t widest = 110;
  std::string lines = "  -";
  std::size_t column = lines.size();
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    if (column + 1 + to - from > widest) {
      lines += "\n   ";
      column = 3;
    }
    lines += ' ';
    lines.append(text, from, to - from);
    column += 1 + to - from;
    from = to + 1;
  }
  return lines + "\n";
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

constexpr const char* evidence_names[] = {"held-out measurement", "held-out value of a model",
                                          "fitted", "restatement"};
const char* name_of(Evidence evidence) { return evidence_names[static_cast<int>(evidence)]; }

std::string verdict(const ReproducedNumber& one) {
  if (!one.computed) return "not computable";
  if (one.interval)
    return fmt::format("{} {} to {}", *one.met() ? "within" : "outside", number((*one.interval)[0]),
                       number((*one.interval)[1]));
  if (!one.met()) return "reported";
  if (!one.failed()) return *one.met() ? "pass" : "known miss";
  return *one.met() ? "FAIL, as it no longer misses" : "FAIL";
}

}  // namespace

std::optional<double> ReproducedNumber::error() const {
  if (!computed) return std::nullopt;
  if (published != 0) return (*computed - published) / std::abs(published);
  return *computed == 0 ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<bool> ReproducedNumber::met() const {
  if (!computed) return std::nullopt;
  if (interval) return (*interval)[0] <= published && published <= (*interval)[1];
  if (!tolerance) return std::nullopt;
  return std::isfinite(*computed) && std::abs(*error()) <= *tolerance;
}

bool ReproducedNumber::failed() const { return !interval && met() && *met() != known_miss.empty(); }

Reproduction reproduction_of(const nlohmann::json& document) {
  Reproduction result{
      document.at("paper"), document.at("title"), document.at("statements"), {}, {}};
  for (const std::string erratum : document.value("errata", nlohmann::json::array()))
    result.statements.push_back("in the paper: " + erratum);
  return result;
}

void note_known_misses(const nlohmann::json& document, std::vector<ReproducedNumber>& numbers) {
  for (const nlohmann::json& miss : document.at("known_misses"))
    for (const std::string item : miss.at("items")) {
      const auto found = std::find_if(numbers.begin(), numbers.end(),
                                      [&](const auto& one) { return one.item == item; });
      if (found == numbers.end()) throw std::out_of_range("known_misses: no item " + item);
      found->known_miss = miss.at("reason");
    }
}

KnownPaper find_paper(const std::string& name) {
  std::vector<KnownPaper> found;
  std::vector<std::string> keys;
  for (KnownPaper& paper : known_papers()) {
    const std::string key = keys.emplace_back(paper.key);
    if (key == name) return paper;
    if (!name.empty() && key.starts_with(name)) found.push_back(std::move(paper));
  }
  if (found.size() == 1) return found.front();
  throw BadInput(
      fmt::format("paper: found \"{}\", expected one of {}", name, fmt::join(keys, ", ")));
}

nlohmann::json to_json(const std::vector<Reproduction>& reproductions) {
  nlohmann::json papers = nlohmann::json::array();
  nlohmann::json results = nlohmann::json::array();
  nlohmann::json trends = nlohmann::json::array();
  for (const Reproduction& one : reproductions) {
    papers.push_back({{"paper", one.paper}, {"title", one.title}, {"statements", one.statements}});
    for (const ReproducedNumber& result : one.numbers)
      results.push_back({{"paper", one.paper},
                         {"item", result.item},
                         {"evidence", name_of(result.evidence)},
                         {"published", result.published},
                         {"computed", or_null(result.computed)},
                         {"unit", result.unit},
                         {"error", or_null(result.error())},
                         {"tolerance", or_null(result.tolerance)},
                         {"passed", or_null(result.met())},
                         {"known_miss", result.known_miss},
                         {"interval", or_null(result.interval)},
                         {"note", result.note}});
    for (const ReproducedTrend& trend : one.trends)
      trends.push_back({{"paper", one.paper},
                        {"item", trend.item},
                        {"holds", trend.holds},
                        {"computed", trend.computed}});
  }
  return {{"papers", papers}, {"results", results}, {"trends", trends}};
}

std::string reproduction_table(const Reproduction& reproduction) {
  std::string text = fmt::format("{}: {}\n", reproduction.paper, reproduction.title);
  for (const std::string& statement : reproduction.statements) text += wrapped(statement);
  std::size_t width = 0;
  for (const ReproducedNumber& one : reproduction.numbers) width = std::max(width, one.item.size());
  text += fmt::format("{:<{}} {:>12} {:>12} {:<9} {:>9} {:>9}\n", "", width, "published",
                      "computed", "", "error", "tolerance");
  for (const ReproducedNumber& one : reproduction.numbers) {
    std::string note;
    for (const std::string& part : {one.known_miss, one.note})
      if (!part.empty()) note += (note.empty() ? ": " : "; ") + part;
    text += fmt::format("{:<{}} {:>12} {:>12} {:<9} {:>9} {:>9}  {}{}\n", one.item, width,
                        number(one.published), one.computed ? number(*one.computed) : "-", one.unit,
                        one.computed ? fmt::format("{:+.2f} %", 100 * *one.error()) : "-",
                        one.tolerance ? fmt::format("{:.3g} %", 100 * *one.tolerance) : "-",
                        verdict(one), note);
  }
  width = 0;
  for (const ReproducedTrend& one : reproduction.trends) width = std::max(width, one.item.size());
  for (const ReproducedTrend& one : reproduction.trends)
    text += fmt::format("{:<{}}  {:<14} {}\n", one.item, width,
                        one.holds ? "holds:" : "does not hold:", one.computed);
  return text + evidence_table({reproduction});
}

std::string evidence_table(const std::vector<Reproduction>& reproductions) {
  struct Count {
    int met = 0, missed = 0, unjudged = 0;
    std::vector<double> errors;
  };
  std::array<Count, std::size(evidence_names)> counts;
  int failed = 0, missing = 0;
  std::size_t trends = 0, holding = 0;
  for (const Reproduction& reproduction : reproductions) {
    for (const ReproducedNumber& one : reproduction.numbers) {
      failed += one.failed();
      missing += !one.computed;
      if (!one.computed) continue;
      Count& count = counts[static_cast<std::size_t>(one.evidence)];
      count.errors.push_back(std::abs(*one.error()));
      ++(!one.met() ? count.unjudged : *one.met() ? count.met : count.missed);
    }
    trends += reproduction.trends.size();
    for (const ReproducedTrend& one : reproduction.trends) holding += one.holds;
  }
  std::string text = fmt::format("{:<27} {:>5} {:>7} {:>11} {:>14}\n", "what it is worth", "met",
                                 "missed", "not judged", "median error");
  for (std::size_t place = 0; place < counts.size(); ++place) {
    Count& count = counts[place];
    if (!count.errors.empty())
      text += fmt::format("{:<27} {:>5} {:>7} {:>11} {:>12.1f} %\n", evidence_names[place],
                          count.met, count.missed, count.unjudged, 100 * median_of(count.errors));
  }
  return text + fmt::format("{} failed, {} not computable; {} of {} trends hold\n", failed, missing,
                            holding, trends);
}

}  // namespace bellwether
