// SPDX-License-Identifier: MIT
#include "results/reproduce/reproduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"

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

std::string verdict(const ReproducedNumber& one) {
  if (!one.computed) return "not computable";
  if (one.interval)
    return fmt::format("{} {} to {}", one.within() ? "within" : "outside",
                       number((*one.interval)[0]), number((*one.interval)[1]));
  if (!one.passed()) return "reported";
  return *one.passed() ? "pass" : "FAIL";
}

}  // namespace

std::optional<double> ReproducedNumber::error() const {
  if (!computed) return std::nullopt;
  if (published != 0) return (*computed - published) / std::abs(published);
  return *computed == 0 ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<bool> ReproducedNumber::passed() const {
  if (!computed || !tolerance) return std::nullopt;
  return std::isfinite(*computed) && std::abs(*error()) <= *tolerance;
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
                         {"published", result.published},
                         {"computed", or_null(result.computed)},
                         {"unit", result.unit},
                         {"error", or_null(result.error())},
                         {"tolerance", or_null(result.tolerance)},
                         {"passed", or_null(result.passed())},
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
  int passed = 0, failed = 0, reported = 0, missing = 0;
  for (const ReproducedNumber& one : reproduction.numbers) {
    text += fmt::format("{:<{}} {:>12} {:>12} {:<9} {:>9} {:>9}  {}{}\n", one.item, width,
                        number(one.published), one.computed ? number(*one.computed) : "-", one.unit,
                        one.computed ? fmt::format("{:+.2f} %", 100 * *one.error()) : "-",
                        one.tolerance ? fmt::format("{:.3g} %", 100 * *one.tolerance) : "-",
                        verdict(one), one.note.empty() ? "" : ": " + one.note);
    if (!one.computed)
      ++missing;
    else if (!one.passed())
      ++reported;
    else
      ++(*one.passed() ? passed : failed);
  }
  width = 0;
  for (const ReproducedTrend& one : reproduction.trends) width = std::max(width, one.item.size());
  for (const ReproducedTrend& one : reproduction.trends)
    text += fmt::format("{:<{}}  {:<14} {}\n", one.item, width,
                        one.holds ? "holds:" : "does not hold:", one.computed);
  text += fmt::format("{} passed, {} failed, {} reported without a verdict, {} not computable",
                      passed, failed, reported, missing);
  if (const std::size_t trends = reproduction.trends.size(); trends > 0)
    text += fmt::format("; {} of {} trends hold",
                        std::count_if(reproduction.trends.begin(), reproduction.trends.end(),
                                      [](const ReproducedTrend& one) { return one.holds; }),
                        trends);
  text += "\n";
  return text;
}

}  // namespace bellwether
