// SPDX-License-Identifier: MIT
#include "results/acceptance/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr std::array kinds{"complete", "right",    "healthy",  "promised",
                           "before",   "siblings", "specified"};

constexpr std::array verdicts{"pass", "not judged", "warning", "missing", "fail", "wrong"};

JsonType<Finding> finding_type() {
  return open_object<Finding>(
      {required("kind", &Finding::kind, json_text()),
       always("subject", &Finding::subject, json_text()),
       always("quantity", &Finding::quantity, json_text()),
       required("verdict", &Finding::verdict, word_of<Verdict>({verdicts.begin(), verdicts.end()})),
       always("value", &Finding::value, perhaps()), always("low", &Finding::low, perhaps()),
       always("high", &Finding::high, perhaps()), always("expected", &Finding::expected, perhaps()),
       always("unit", &Finding::unit, json_text()),
       always("warning_bound", &Finding::warning_bound, perhaps()),
       always("failure_bound", &Finding::failure_bound, perhaps()),
       always("p", &Finding::p, perhaps()),
       always("sources", &Finding::sources, json_list(json_text())),
       required("sentence", &Finding::sentence, json_text()),
       optional("cannot_tell", &Finding::cannot_tell, flag()),
       optional("outside_range", &Finding::outside_range, json_list(json_text()))});
}

JsonType<FleetNode> fleet_node_type() {
  return open_object<FleetNode>({required("name", &FleetNode::name, json_text()),
                                 optional("leaf", &FleetNode::leaf, json_text()),
                                 required("state", &FleetNode::state, json_text()),
                                 required("verdict", &FleetNode::verdict,
                                          word_of<Verdict>({verdicts.begin(), verdicts.end()}))});
}

const JsonType<Acceptance>& acceptance_type() {
  static const JsonType<Acceptance> type = open_object<Acceptance>(
      {constant<Acceptance>("schema", "bellwether.verdict/1"),
       derived<Acceptance>("verdict", json_text(),
                           [](const Acceptance& one) -> std::optional<std::string> {
                             return verdict_word(one.verdict());
                           }),
       required("suite", &Acceptance::suite, json_text()),
       always("layout", &Acceptance::layout, rank_layout_type()),
       always("false_alarm_rate", &Acceptance::false_alarm_rate, json_number()),
       required("findings", &Acceptance::findings, json_list(finding_type())),
       always("remarks", &Acceptance::remarks, json_list(json_text())),
       optional("nodes", &Acceptance::nodes, json_list(fleet_node_type())),
       optional("links", &Acceptance::links, json_map(json_count()))});
  return type;
}

/// Text in an XML element or attribute; what XML has no place for becomes a question mark.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else if (letter == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(letter) < 0x20 && letter != '\n' && letter != '\t')
      safe += '?';
    else
      safe += letter;
  }
  return safe;
}

std::string evidence(const Finding& finding) {
  std::string text = finding.sentence + "\n";
  const auto add = [&](const char* what, const std::optional<double>& number) {
    if (number) text += fmt::format("{} {:.6g} {}\n", what, *number, finding.unit);
  };
  add("found", finding.value);
  add("low", finding.low);
  add("high", finding.high);
  add("expected", finding.expected);
  if (finding.p) text += fmt::format("p {:.2g}\n", *finding.p);
  for (const std::string& source : finding.sources) text += "bound: " + source + "\n";
  return text;
}

std::string count_text(int number, const char* what) { return fmt::format("{} {}", number, what); }

/// Verdict and sentence of each finding that is no pass, in their order; those not judged for one
/// reason, "A: why", are one: "A, B: why".
std::vector<std::pair<Verdict, std::string>> lines_of(const std::vector<Finding>& findings) {
  std::vector<std::pair<Verdict, std::string>> lines;
  std::map<std::string, std::size_t> line_of_reason;
  for (const Finding& finding : findings) {
    if (finding.verdict == Verdict::pass) continue;
    const std::size_t colon = finding.sentence.find(": ");
    if (finding.verdict != Verdict::not_judged || colon == std::string::npos) {
      lines.emplace_back(finding.verdict, finding.sentence);
      continue;
    }
    const auto [at, is_new] = line_of_reason.emplace(finding.sentence.substr(colon), lines.size());
    if (is_new) {
      lines.emplace_back(finding.verdict, finding.sentence);
      continue;
    }
    std::string& line = lines[at->second].second;
    line.insert(line.size() - at->first.size(), ", " + finding.sentence.substr(0, colon));
  }
  return lines;
}

/// That predictions were extrapolations: how many, and the first one's reason.
std::string note_on_extrapolation(const std::vector<Finding>& findings) {
  int cases = 0;
  const Finding* first = nullptr;
  for (const Finding& finding : findings)
    if (!finding.outside_range.empty()) {
      ++cases;
      if (first == nullptr) first = &finding;
    }
  if (first == nullptr) return {};
  return fmt::format("{} predicted outside the calibrated range, and warned of at most: {}, {}{}",
                     cases == 1 ? "1 case is" : fmt::format("{} cases are", cases), first->subject,
                     first->outside_range.front(), cases == 1 ? "" : ", …");
}

}  // namespace

const char* name_of(Verdict verdict) { return verdicts.at(static_cast<std::size_t>(verdict)); }

const char* verdict_word(Verdict verdict) {
  if (verdict >= Verdict::fail) return "fail";
  if (verdict == Verdict::missing) return "incomplete";
  return verdict == Verdict::warning ? "pass with warnings" : "pass";
}

ExitStatus exit_status(Verdict verdict) {
  if (verdict == Verdict::wrong) return ExitStatus::verification_failed;
  return verdict >= Verdict::missing ? ExitStatus::verdict_failed : ExitStatus::success;
}

std::string share_text(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string Material::text() const {
  return fmt::format("what matters: {} warned of, {} failed; {}", share_text(warning),
                     share_text(failure), source);
}

void Finding::expect_one(const Material& material, const char* of) {
  expected = 1;
  unit = of;
  warning_bound = 1 + material.warning;
  failure_bound = 1 + material.failure;
}

Finding not_judged(const char* kind, const std::string& subject, const std::string& quantity,
                   std::string sentence) {
  return {.kind = kind,
          .subject = subject,
          .quantity = quantity,
          .verdict = Verdict::not_judged,
          .sentence = std::move(sentence)};
}

void Finding::judge() {
  if (failure_bound && *value > *failure_bound)
    verdict = Verdict::fail;
  else if (*value > *warning_bound)
    verdict = Verdict::warning;
}

double Finding::size() const {
  if (!value || !expected || !(*value > 0) || !(*expected > 0)) return 0;
  return std::abs(std::log(*value / *expected));
}

JsonType<RankLayout> rank_layout_type() {
  return json_object<RankLayout>(
      {required("ranks", &RankLayout::ranks, json_count(1)),
       optional("nodes", &RankLayout::nodes, json_count()),
       optional("ranks_per_node", &RankLayout::ranks_per_node, json_count()),
       optional("device", &RankLayout::device, json_text())});
}

void Acceptance::sort() {
  // What names a rank or a node explains the cases and parts that it slowed.
  const auto place = [](const Finding& one) {
    return std::tuple(one.verdict, one.kind == "siblings", one.size());
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return place(a) > place(b); });
}

Verdict Acceptance::verdict() const {
  Verdict worst = Verdict::pass;
  for (const Finding& finding : findings)
    worst = std::max(worst, finding.cannot_tell ? Verdict::warning : finding.verdict);
  return worst;
}

json to_json(const Acceptance& acceptance) { return acceptance_type().write(acceptance); }

json verdict_json_schema() {
  return published_schema(
      acceptance_type(), "bellwether.verdict/1",
      "verdict.json of `bellwether accept` and `fleet judge`, which --json prints. A finding's "
      "value, low, high, expected and bounds are in its unit, null where not judged; p: of as much "
      "or more on an undisturbed machine. nodes and links are of a fleet.");
}

Acceptance parse_acceptance(const json& document, const std::string& file) {
  return acceptance_type().read(JsonNode(document, file));
}

std::string junit_text(const Acceptance& acceptance) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const char* kind : kinds) {
    std::string cases;
    int tests = 0, failures = 0, skipped = 0;
    for (const Finding& finding : acceptance.findings) {
      if (finding.kind != kind) continue;
      ++tests;
      cases += fmt::format("    <testcase classname=\"bellwether.{}\" name=\"{}\">\n", kind,
                           escaped(fmt::format("{}: {}", finding.subject, finding.quantity)));
      const std::string sentence = escaped(finding.sentence);
      if (finding.verdict >= Verdict::missing) {
        ++failures;
        cases += fmt::format("      <failure message=\"{}\">{}</failure>\n", sentence,
                             escaped(evidence(finding)));
      } else if (finding.verdict == Verdict::not_judged) {
        ++skipped;
        cases += fmt::format("      <skipped message=\"{}\"/>\n", sentence);
      } else {
        cases += fmt::format("      <system-out>{}{}</system-out>\n",
                             finding.verdict == Verdict::warning ? "WARNING: " : "",
                             escaped(evidence(finding)));
      }
      cases += "    </testcase>\n";
    }
    if (tests > 0)
      text += fmt::format(
          "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
          "skipped=\"{}\">\n{}  </testsuite>\n",
          kind, tests, failures, skipped, cases);
  }
  return text + "</testsuites>\n";
}

std::string verdict_text(const Acceptance& acceptance, const std::string& folder) {
  constexpr std::size_t most_lines = 14;
  std::map<Verdict, int> numbers;
  std::map<std::string, int> passed;
  int untold = 0;
  for (const Finding& finding : acceptance.findings) {
    ++numbers[finding.verdict];
    untold += finding.cannot_tell ? 1 : 0;
    if (finding.verdict == Verdict::pass) ++passed[finding.kind];
  }
  std::string text = fmt::format("VERDICT: {}", verdict_word(acceptance.verdict()));
  text += fmt::format(
      " (suite {}; {}, {}, {}{}, {} judged{})\n", acceptance.suite,
      count_text(numbers[Verdict::wrong], "wrong"), count_text(numbers[Verdict::fail], "failed"),
      count_text(numbers[Verdict::warning], "warned of"),
      numbers[Verdict::missing] > 0 ? ", " + count_text(numbers[Verdict::missing], "missing") : "",
      acceptance.findings.size() - static_cast<std::size_t>(numbers[Verdict::not_judged]),
      untold > 0 ? fmt::format(", {} cannot be told", untold) : "");
  const auto lines = lines_of(acceptance.findings);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    text += fmt::format("{:<10} {}\n", name_of(lines[i].first), lines[i].second);
  if (lines.size() > most_lines)
    text += fmt::format("and {} more in {}/verdict.json\n", lines.size() - most_lines, folder);
  std::string list;
  for (const char* kind : kinds)
    if (passed[kind] > 0)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", passed[kind], kind);
  if (!list.empty()) text += fmt::format("{:<10} {}\n", "pass", list);
  if (const std::string what = note_on_extrapolation(acceptance.findings); !what.empty())
    text += fmt::format("{:<10} {}\n", "note", what);
  for (const std::string& remark : acceptance.remarks)
    text += fmt::format("{:<10} {}\n", "note", remark);
  text += fmt::format(
      "An undisturbed machine is warned of or fails in at most {:g} % of acceptances.\n"
      "Evidence: {}/{}\n",
      100 * acceptance.false_alarm_rate, folder, fmt::join(acceptance.evidence, ", "));
  return text;
}

}  // namespace bellwether
