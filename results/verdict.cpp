// SPDX-License-Identifier: MIT
#include "results/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "results/comparison.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using Ends = RunInterval::Ends;

/// What an interval is to be narrower than, high / low, to tell a slow run from a normal one.
constexpr double widest = 2;
/// An error of the total above which the term that explains most is named.
constexpr double large_error = 0.25;

bool tells(const Ends& ends) {
  return ends.low_s > 0 && ends.low_s < ends.high_s && ends.high_s <= widest * ends.low_s;
}

/// Of a measured interval: one that meets the expected one is normal.
Answer answer_by(const Ends& expected, double measured_low_s, double measured_high_s) {
  if (!tells(expected)) return Answer::cannot_tell;
  if (measured_low_s > expected.high_s) return Answer::slower;
  return measured_high_s < expected.low_s ? Answer::faster : Answer::normal;
}

bool is_off(Answer answer) { return answer == Answer::slower || answer == Answer::faster; }

/// What makes the interval of the machine's runs widest, and what helps against it.
std::pair<std::string, std::string> why_wide(const RunInterval& interval) {
  const auto width = [](const std::pair<double, double>& ratios) {
    return ratios.second / ratios.first;
  };
  const std::string calibrate =
      "calibrate again while nothing else runs here, with the ranks of the run";
  if (width(interval.drift) >= std::max(width(interval.calibration), width(interval.model)))
    return {fmt::format("the calibration was disturbed: its probes of {} took up to {:.1f} times "
                        "as long as usual",
                        interval.slowest_probe_of, interval.slowest_probe),
            calibrate};
  if (width(interval.calibration) >= width(interval.model))
    return {fmt::format("by what the calibration measured it may take {:.2f} to {:.2f} times as "
                        "long as predicted",
                        interval.calibration.first, interval.calibration.second),
            calibrate + " and not --quick"};
  return {fmt::format("earlier runs took {:.2f} to {:.2f} times as long as predicted",
                      interval.model.first, interval.model.second),
          "compare with an earlier run of the same case (bellwether compare)"};
}

/// At its speed during the run, where it was probed: only the computation follows it.
Comparison at_speed_during_run(const Record& record, const Prediction& refined,
                               Comparison comparison) {
  const auto computes = [](const std::string& name) { return name.starts_with("compute."); };
  double compute_s = 0;
  for (const Term& term : refined.terms)
    if (computes(term.name)) compute_s += term.seconds;
  const double more_s = record.interval->at_probe->total_s - refined.total_s;
  comparison.total.refined = record.interval->at_probe->total_s;
  for (ComparedTerm& term : comparison.terms)
    if (compute_s > 0 && term.refined && computes(term.name))
      *term.refined *= 1 + more_s / compute_s;
  return comparison;
}

/// Refined prediction minus measurement, seconds; a side without the term spends no time in it.
double excess_s(const ComparedTerm& term) {
  if (!term.measured_in.empty()) return 0;
  return term.expected().value_or(0) - (term.measured ? term.measured->median : 0);
}

bool is_large(double predicted_s, double measured_s) {
  return std::abs(relative_error(predicted_s, measured_s)) > large_error;
}

std::string explain(const Record& record, const Prediction& refined, const RunVerdict& verdict) {
  const double measured_s = record.measured.total_s.median;
  const bool has_probe = record.interval && record.interval->at_probe;
  const bool probed = has_probe && (is_off(*verdict.at_probe) ||
                                    is_large(record.interval->at_probe->total_s, measured_s));
  const bool off = is_off(verdict.for_machine) && verdict.at_probe != Answer::normal;
  if (!probed && !off && !is_large(refined.total_s, measured_s)) return {};
  Comparison comparison = compare(record);
  if (probed) comparison = at_speed_during_run(record, refined, std::move(comparison));
  const double total_excess_s = excess_s(comparison.total);
  std::string sentence = fmt::format(
      "{} refined total is {:.1f} % too {}", probed ? "At its speed during the run the" : "The",
      100 * std::abs(relative_error(*comparison.total.refined, measured_s)),
      total_excess_s > 0 ? "high" : "low");
  if (is_off(probed ? *verdict.at_probe : verdict.for_machine))
    sentence += record.interval ? ", and the run is not one of the 90 %"
                                : ", and its interval and the measured one do not overlap";
  const auto share = [&](const ComparedTerm& term) { return excess_s(term) / total_excess_s; };
  const auto most = std::max_element(
      comparison.terms.begin(), comparison.terms.end(),
      [&](const ComparedTerm& a, const ComparedTerm& b) { return share(a) < share(b); });
  if (most == comparison.terms.end() || !(share(*most) > 0)) return sentence + ".";
  const TimeUnit unit = time_unit(measured_s);
  const auto time = [&](const char* verb, std::optional<double> seconds) {
    return seconds ? fmt::format("{} {:.3f} {}", verb, *seconds * unit.per_second, unit.name)
                   : fmt::format("not {}", verb);
  };
  return sentence +
         fmt::format("; {} explains {:.0f} % of the difference ({}, {}).", most->name,
                     100 * share(*most),
                     time(probed ? "then predicted" : "predicted", most->expected()),
                     time("measured",
                          most->measured ? std::optional(most->measured->median) : std::nullopt));
}

/// By the intervals, and why they cannot tell.
void judge_by_intervals(const Record& record, const Prediction& refined, RunVerdict& verdict) {
  const Summary& measured = record.measured.total_s;
  if (!record.interval) {
    const Ends by_machine{refined.total_s, refined.low_s, refined.high_s};
    verdict.answer = verdict.for_machine = answer_by(by_machine, measured.low, measured.high);
    if (verdict.answer == Answer::cannot_tell) {
      verdict.because = refined.low_s == refined.high_s
                            ? "the machine file gives no interval"
                            : "the machine file's intervals are that wide";
      verdict.to_do = "calibrate here: bellwether calibrate -o machine.json";
    }
    return;
  }
  const auto by = [&](const Ends& ends) {
    return answer_by(ends, measured.median, measured.median);
  };
  verdict.answer = verdict.for_machine = by(record.interval->run);
  if (verdict.for_machine == Answer::cannot_tell)
    std::tie(verdict.because, verdict.to_do) = why_wide(*record.interval);
  if (!record.interval->at_probe) return;
  verdict.at_probe = by(*record.interval->at_probe);
  if (is_off(*verdict.at_probe)) verdict.answer = *verdict.at_probe;
}

}  // namespace

RunVerdict verdict_of(const Record& record) {
  if (record.verdict) return *record.verdict;
  RunVerdict verdict;
  if (!record.not_run.empty()) return verdict;
  const Prediction* const refined = find_prediction(record, "refined");
  if (refined != nullptr) {
    judge_by_intervals(record, *refined, verdict);
    if (record.oversubscribed) {
      verdict.answer = verdict.for_machine = Answer::cannot_tell;
      if (verdict.at_probe) verdict.at_probe = Answer::cannot_tell;
      verdict.because = "ranks share cores and wait for one another";
      verdict.to_do = "run no more ranks than cores, and look at the launcher's binding";
    }
    verdict.explanation = explain(record, *refined, verdict);
  }
  if (!record.verification.passed) verdict.answer = Answer::wrong_result;
  return verdict;
}

}  // namespace bellwether
