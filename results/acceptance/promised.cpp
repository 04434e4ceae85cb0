// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/acceptance/judge.hpp"
#include "results/changes/change.hpp"
#include "results/comparison.hpp"
#include "results/run_interval.hpp"
#include "results/statistics.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

/// Records of a case, which are its repeats, in the order in which cases first ran.
struct Repeats {
  std::string name, app;
  std::vector<const Record*> records;
};

std::vector<Repeats> repeats_of(const std::vector<Record>& records) {
  const std::vector<std::string> names = case_names(records);
  std::vector<Repeats> cases;
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto found = std::find_if(cases.begin(), cases.end(),
                              [&](const Repeats& one) { return one.name == names[i]; });
    if (found == cases.end()) found = cases.insert(cases.end(), {names[i], records[i].app, {}});
    found->records.push_back(&records[i]);
  }
  return cases;
}

/// Measured / predicted, at the probe where there is one; absent without a prediction.
std::optional<double> slowness(const Record& record) {
  const Prediction* const refined = find_prediction(record, "refined");
  if (refined == nullptr) return {};
  double error = refined_error_at_probe(record).value_or(NAN);
  if (!std::isfinite(error))
    error = relative_error(refined->total_s, record.measured.total_s.median);
  return std::isfinite(error) ? std::optional(1 / (1 + error)) : std::nullopt;
}

/// "network explains 81 % (predicted 0.1 ms, measured 0.5 ms)", of the term that takes most longer.
std::string explanation(const Record& record) {
  const Comparison comparison = compare(record);
  const double excess = comparison.total.measured->median - *comparison.total.refined;
  if (!(excess > 0)) return {};
  double most = 0;
  std::string text;
  for (const ComparedTerm& term : comparison.terms) {
    if (!term.measured) continue;
    const double took = term.measured->median, predicted = term.expected().value_or(0);
    if (took - predicted <= most) continue;
    most = took - predicted;
    text = fmt::format("{} explains {:.0f} % of it (predicted {}, measured {})", term.name,
                       100 * most / excess, time_text(predicted), time_text(took));
  }
  return text;
}

/// Why a case cannot be held against its prediction; empty if it can.
std::string why_not(const Repeats& one, const Residual* residual, double disturbed) {
  if (!std::all_of(one.records.begin(), one.records.end(),
                   [](const Record* record) { return record->verification.passed; }))
    return "its result is wrong";
  for (const Record* record : one.records) {
    if (record->oversubscribed) return "ranks share cores, and wait for one another";
    if (const auto waiting = longest_waiting(*record); waiting && waiting->second > disturbed)
      return fmt::format("{} took {:.2f} of rank {}'s core", takers_of_core(*record),
                         waiting->second, waiting->first);
    if (!slowness(*record)) return "it was not predicted";
  }
  if (residual == nullptr) return "how well its model predicts was never measured";
  return {};
}

Finding not_held(const Repeats& one, const std::string& why) {
  return not_judged("promised", one.name, "total",
                    fmt::format("{}: not held against its prediction: {}", one.name, why));
}

Finding judge_case(const Repeats& one, double alpha, int cases, double disturbed,
                   const std::optional<Unsteadiness>& unsteady) {
  Finding finding{.kind = "promised", .subject = one.name, .quantity = "total"};
  const Residual* const residual = residual_of(one.app);
  if (const std::string why = why_not(one, residual, disturbed); !why.empty())
    return not_held(one, why);
  std::vector<double> ratios;
  std::vector<std::string>& outside = finding.outside_range;
  double width = 0;
  bool probed = true;
  for (const Record* record : one.records) {
    ratios.push_back(*slowness(*record));
    const Prediction& refined = *find_prediction(*record, "refined");
    // Of the machine's own intervals alone: a run's interval holds the residual too.
    width = std::max(width, refined.high_s / refined.total_s - 1);
    for (const std::string& reason : refined.outside_range)
      if (std::find(outside.begin(), outside.end(), reason) == outside.end())
        outside.push_back(reason);
    probed = probed && refined_error_at_probe(*record).has_value();
  }
  const bool extrapolated = !outside.empty();
  // What is slow is slow each time; what slows a repeat now and then is not what was promised
  // wrongly.
  const auto [fastest, slowest] = std::minmax_element(ratios.begin(), ratios.end());
  const Record& held = *one.records[static_cast<std::size_t>(fastest - ratios.begin())];
  const RunVerdict verdict = verdict_of(held);
  if (verdict.answer == Answer::cannot_tell) {
    Finding untold =
        not_held(one, fmt::format("cannot tell: {}; {}", verdict.because, verdict.to_do));
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
  if (verdict.answer == Answer::slower) finding.judge();
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

std::vector<Finding> judge_right(const std::vector<Record>& records) {
  std::vector<Finding> found;
  for (const Repeats& one : repeats_of(records)) {
    Finding finding{.kind = "right", .subject = one.name, .quantity = "verification"};
    const auto wrong =
        std::find_if(one.records.begin(), one.records.end(),
                     [](const Record* record) { return !record->verification.passed; });
    const Verification& verification =
        (wrong == one.records.end() ? one.records.front() : *wrong)->verification;
    if (std::isfinite(verification.value)) finding.value = verification.value;
    if (std::isfinite(verification.tolerance)) finding.expected = verification.tolerance;
    finding.warning_bound = finding.failure_bound = 1;
    finding.sources = {"the case's own bound, by its app"};
    const std::string error = finding.value ? fmt::format("{:.3g}", *finding.value) : "no number";
    if (wrong == one.records.end()) {
      finding.sentence =
          fmt::format("{}: right ({}, error {})", one.name, verification.what, error);
    } else {
      finding.verdict = Verdict::wrong;
      finding.sentence =
          fmt::format("{}: WRONG RESULT: {}, error {}, at most {:.3g} expected", one.name,
                      verification.what, error, finding.expected.value_or(0));
    }
    found.push_back(std::move(finding));
  }
  return found;
}

std::vector<Finding> judge_promised(const std::vector<Record>& records, double alpha,
                                    double disturbed, const std::optional<Unsteadiness>& unsteady) {
  const std::vector<Repeats> cases = repeats_of(records);
  std::vector<Finding> found;
  for (const Repeats& one : cases)
    found.push_back(judge_case(one, alpha, static_cast<int>(cases.size()), disturbed, unsteady));
  return found;
}

}  // namespace bellwether
