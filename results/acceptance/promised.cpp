// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/errors.hpp"
#include "results/acceptance/judge.hpp"
#include "results/changes/change.hpp"
#include "results/run_interval.hpp"
#include "results/statistics.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Records of a case, which are its repeats, in the order in which cases first ran.
struct Repeats {
  std::string name, app;
  std::vector<const json*> records;
};

std::vector<Repeats> repeats_of(const std::vector<json>& records) {
  const std::vector<std::string> names = case_names(records);
  std::vector<Repeats> cases;
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto found = std::find_if(cases.begin(), cases.end(),
                              [&](const Repeats& one) { return one.name == names[i]; });
    if (found == cases.end())
      found = cases.insert(cases.end(), {names[i], records[i].at("app"), {}});
    found->records.push_back(&records[i]);
  }
  return cases;
}

const json* refined_of(const json& record) {
  const json::json_pointer where("/predicted/refined/total_s");
  return record.contains(where) && record.at(where).is_number()
             ? &record.at("predicted").at("refined")
             : nullptr;
}

/// Measured / predicted, at the probe where there is one; absent without a prediction.
std::optional<double> slowness(const json& record) {
  for (const char* form : {"refined_at_probe", "refined"})
    if (record.contains("error") && record.at("error").contains(form) &&
        record.at("error").at(form).is_number())
      return 1 / (1 + record.at("error").at(form).get<double>());
  return {};
}

std::string time_text(double seconds) {
  const TimeUnit unit = time_unit(seconds);
  return fmt::format("{:.3f} {}", seconds * unit.per_second, unit.name);
}

/// By how much slower the machine's own intervals allow: beside the residual, which the interval of
/// a run holds too.
double calibration_width(const json& refined) {
  const double high_s =
      refined.value(json::json_pointer("/interval/machine_s/1"), refined.value("high_s", 0.0));
  return high_s / refined.at("total_s").get<double>() - 1;
}

/// "network explains 81 % (predicted 0.1 ms, measured 0.5 ms)", of the term that takes most longer.
std::string explanation(const json& record) {
  const json& measured = record.at("measured");
  const json& refined = *refined_of(record);
  const double excess =
      measured.at("total_s").at("median").get<double>() - refined.at("total_s").get<double>();
  if (!(excess > 0) || !measured.contains("terms")) return {};
  double most = 0;
  std::string text;
  for (const auto& item : measured.at("terms").items()) {
    const double took = item.value().at("median");
    double predicted = refined.value(json::json_pointer("/terms") / item.key(), 0.0);
    const json within = value_or_null(measured, "within");
    for (const auto& [name, term] : within.items())
      if (term == item.key()) predicted += refined.value(json::json_pointer("/terms") / name, 0.0);
    if (took - predicted <= most) continue;
    most = took - predicted;
    text = fmt::format("{} explains {:.0f} % of it (predicted {}, measured {})", item.key(),
                       100 * most / excess, time_text(predicted), time_text(took));
  }
  return text;
}

Finding finding_of(const char* kind, const std::string& subject, const char* quantity) {
  Finding finding;
  finding.kind = kind;
  finding.subject = subject;
  finding.quantity = quantity;
  return finding;
}

/// A text of the record's verdict; empty where there is none.
std::string of_verdict(const json& record, const char* key) {
  const json text = value_or_null(value_or_null(record, "verdict"), key);
  return text.is_string() ? text.get<std::string>() : "";
}

/// Why a case cannot be held against its prediction; empty if it can.
std::string why_not(const Repeats& one, const std::optional<Residual>& residual, double disturbed) {
  if (!std::all_of(one.records.begin(), one.records.end(),
                   [](const json* record) { return is_verified(*record); }))
    return "its result is wrong";
  for (const json* record : one.records) {
    if (record->value("oversubscribed", false))
      return "ranks share cores, and wait for one another";
    if (const auto waiting = longest_waiting(*record); waiting && waiting->second > disturbed)
      return fmt::format("{} took {:.2f} of rank {}'s core", takers_of_core(*record),
                         waiting->second, waiting->first);
    if (refined_of(*record) == nullptr || !slowness(*record)) return "it was not predicted";
  }
  if (!residual) return "how well its model predicts was never measured";
  return {};
}

Finding not_judged(const Repeats& one, const std::string& why) {
  Finding finding = finding_of("promised", one.name, "total");
  finding.verdict = Verdict::not_judged;
  finding.sentence = fmt::format("{}: not held against its prediction: {}", one.name, why);
  return finding;
}

Finding judge_case(const Repeats& one, double alpha, int cases, double disturbed,
                   const std::optional<Unsteadiness>& unsteady) {
  Finding finding = finding_of("promised", one.name, "total");
  const std::optional<Residual> residual = residual_of(one.app);
  if (const std::string why = why_not(one, residual, disturbed); !why.empty())
    return not_judged(one, why);
  std::vector<double> ratios;
  std::vector<std::string>& outside = finding.outside_range;
  double width = 0;
  bool probed = true;
  for (const json* record : one.records) {
    ratios.push_back(*slowness(*record));
    const json& refined = *refined_of(*record);
    width = std::max(width, calibration_width(refined));
    for (const json& reason : refined.value("outside_range", json::array()))
      if (std::find(outside.begin(), outside.end(), reason) == outside.end())
        outside.push_back(reason);
    probed = probed && record->at("error").contains("refined_at_probe");
  }
  const bool extrapolated = !outside.empty();
  // What is slow is slow each time; what slows a repeat now and then is not what was promised
  // wrongly.
  const auto [fastest, slowest] = std::minmax_element(ratios.begin(), ratios.end());
  const json& held = *one.records[static_cast<std::size_t>(fastest - ratios.begin())];
  const std::string answer = of_verdict(held, "answer");
  if (answer == name_of(Answer::cannot_tell)) {
    Finding untold = not_judged(one, fmt::format("cannot tell: {}; {}", of_verdict(held, "because"),
                                                 of_verdict(held, "to_do")));
    untold.cannot_tell = true;
    return untold;
  }
  const auto bound = [&](double rate) {
    return 1 + std::hypot(width, residual->bound(rate, cases), unsteady ? unsteady->share : 0);
  };
  finding.value = *fastest;
  finding.low = *fastest;
  finding.high = *slowest;
  finding.expected = 1;
  finding.unit = "of the predicted time";
  // The residual is of predictions within their range: beyond it it says less, and nothing fails.
  finding.warning_bound = bound(extrapolated ? alpha / 10 : alpha);
  if (!extrapolated) finding.failure_bound = bound(alpha / 10);
  finding.sources = {
      fmt::format("prediction's interval: {:+.1f} %, from this allocation's calibration",
                  100 * width),
      fmt::format(
          "model's residual: one of {} cases is slower than {:.0f} % by chance in {:.2g} of "
          "acceptances (failure: a tenth of that); {}; {} runs, median {:.1f} %, mean excess "
          "{:.1f} %",
          cases, 100 * residual->bound(alpha, cases), alpha, residual->source, residual->runs,
          100 * residual->median, 100 * residual->mean_excess)};
  if (unsteady)
    finding.sources.push_back(fmt::format(
        "the machine meanwhile: {} took {:.0f} % longer on the slowest tenth of {} occasions "
        "between the cases than on the quickest (median over ranks)",
        unsteady->quantity, 100 * unsteady->share, unsteady->occasions));
  if (extrapolated)
    finding.sources.push_back(
        "outside the calibrated range: what would fail within it is warned of, and no more");
  if (!answer.empty() && answer != name_of(Answer::slower))
    finding.verdict = Verdict::pass;
  else if (finding.failure_bound && *fastest > *finding.failure_bound)
    finding.verdict = Verdict::fail;
  else if (*fastest > *finding.warning_bound)
    finding.verdict = Verdict::warning;
  finding.sentence =
      fmt::format("{}: takes {:.2f} of what the calibration promises{}{} (at most {:.2f})",
                  one.name, *fastest, probed ? " at the speed of the moment" : "",
                  ratios.size() > 1 ? fmt::format(", the fastest of {}", ratios.size()) : "",
                  *finding.warning_bound);
  if (finding.verdict != Verdict::pass)
    if (const std::string term = explanation(held); !term.empty())
      finding.sentence.append("; ").append(term);
  if (extrapolated)
    finding.sentence.append("; predicted outside the calibrated range: ").append(outside.front());
  return finding;
}

}  // namespace

double Residual::bound(double alpha, int m) const {
  return median + mean_excess * std::max(0.0, std::log(0.5 * m / alpha));
}

std::optional<Residual> residual_of(const std::string& app) {
  static const json all = json::parse(residual_files().front().text).at("residuals");
  if (!all.contains(app)) return {};
  const json& one = all.at(app);
  return Residual{one.at("runs"), one.at("median"), one.at("mean_excess"), one.at("source")};
}

std::vector<Finding> judge_right(const std::vector<json>& records) {
  std::vector<Finding> found;
  for (const Repeats& one : repeats_of(records)) {
    Finding finding = finding_of("right", one.name, "verification");
    const auto wrong = std::find_if(one.records.begin(), one.records.end(),
                                    [](const json* record) { return !is_verified(*record); });
    const json& record = wrong == one.records.end() ? *one.records.front() : **wrong;
    const json verification = record.value("verification", json::object());
    const auto number = [&](const char* key) {
      return verification.contains(key) && verification.at(key).is_number()
                 ? std::optional(verification.at(key).get<double>())
                 : std::nullopt;
    };
    finding.value = number("value");
    finding.expected = number("tolerance");
    finding.warning_bound = finding.failure_bound = 1;
    finding.sources = {"the case's own bound, by its app"};
    const std::string error = finding.value ? fmt::format("{:.3g}", *finding.value) : "no number";
    if (wrong == one.records.end()) {
      finding.sentence =
          fmt::format("{}: right ({}, error {})", one.name, verification.value("what", ""), error);
    } else {
      finding.verdict = Verdict::wrong;
      finding.sentence =
          fmt::format("{}: WRONG RESULT: {}, error {}, at most {:.3g} expected", one.name,
                      verification.value("what", ""), error, finding.expected.value_or(0));
    }
    found.push_back(std::move(finding));
  }
  return found;
}

std::vector<Finding> judge_promised(const std::vector<json>& records, double alpha,
                                    double disturbed, const std::optional<Unsteadiness>& unsteady) {
  const std::vector<Repeats> cases = repeats_of(records);
  std::vector<Finding> found;
  for (const Repeats& one : cases)
    found.push_back(judge_case(one, alpha, static_cast<int>(cases.size()), disturbed, unsteady));
  return found;
}

}  // namespace bellwether
