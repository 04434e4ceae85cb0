// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/power/power_parameters.hpp"
#include "results/comparison.hpp"
#include "results/statistics.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

using Row = std::vector<std::string>;

/// The table's columns: a prediction of each form that the record has, errors where it has one.
class Columns {
 public:
  Columns(const Record& record, const Comparison& comparison, const std::string& step)
      : head_("per " + step),
        unit_(time_unit(record.measured.total_s.median)),
        paper_(find_prediction(record, "paper") != nullptr),
        refined_(find_prediction(record, "refined") != nullptr),
        comparison_(comparison) {}

  [[nodiscard]] std::vector<Row> heading() const {
    Row heads{head_}, forms{""};
    const auto add = [&](const char* head, const char* form) {
      heads.emplace_back(head);
      forms.emplace_back(form);
    };
    if (paper_) add("predicted", "paper");
    if (refined_) add(paper_ ? "" : "predicted", "refined");
    add("measured", "median");
    add("", "[95 %]");
    if (paper_ || refined_) add("error", refined_ ? "refined" : "paper");
    return {heads, forms};
  }

  [[nodiscard]] Row row(const ComparedTerm& term) const {
    const auto& measured = term.measured;
    const std::string median = measured                   ? time(measured->median)
                               : term.measured_in.empty() ? "-"
                                                          : "in " + term.measured_in;
    // One sample says nothing of its interval.
    const std::string interval =
        measured && measured->count > 1 ? range(measured->low, measured->high) : "-";
    Row cells{term.name};
    if (paper_) cells.push_back(term.paper ? time(*term.paper) : "-");
    if (refined_) cells.push_back(term.refined ? time(*term.refined) : "-");
    cells.push_back(median);
    cells.push_back(interval);
    const std::optional<double> error = comparison_.error(term);
    if (paper_ || refined_) cells.push_back(error ? signed_percent(*error) : "-");
    return cells;
  }

  [[nodiscard]] std::string range(double low, double high) const {
    return fmt::format("[{:.3f}, {:.3f}]", low * unit_.per_second, high * unit_.per_second);
  }
  [[nodiscard]] const char* unit() const { return unit_.name; }

 private:
  [[nodiscard]] std::string time(double seconds) const {
    return fmt::format("{:.3f} {}", seconds * unit_.per_second, unit_.name);
  }

  std::string head_;
  TimeUnit unit_;
  bool paper_, refined_;
  const Comparison& comparison_;
};

/// The terms, but that several which the paper's form alone has are one.
std::vector<ComparedTerm> shown(const Comparison& comparison) {
  std::vector<ComparedTerm> terms, papers;
  for (const ComparedTerm& term : comparison.terms) {
    const bool papers_alone = term.paper && !term.refined && !term.measured;
    (papers_alone && term.measured_in.empty() ? papers : terms).push_back(term);
  }
  if (papers.size() > 1) {
    for (std::size_t n = 1; n < papers.size(); ++n) *papers[0].paper += *papers[n].paper;
    papers[0].name = fmt::format("paper's {} others", papers.size());
    papers.resize(1);
  }
  terms.insert(terms.end(), papers.begin(), papers.end());
  return terms;
}

std::string verdict(const Verification& check) {
  if (check.passed) {
    return fmt::format("verified: {}, error {:.1e} <= {:.1e}", check.what, check.value,
                       check.tolerance);
  }
  // What may not be at all says itself what is wrong.
  if (check.tolerance == 0) return fmt::format("WRONG RESULT: {}", check.what);
  return fmt::format("WRONG RESULT: {}, error {:.1e}, more than {:.1e} allowed", check.what,
                     check.value, check.tolerance);
}

std::string rate_lines(const Record& record) {
  if (!record.verification.passed) return "no rate: the result is wrong\n";
  std::string line = "rate " + with_prefix(record.rate.value, record.rate.unit);
  if (record.rate.fraction_of_limit > 0) {
    line +=
        fmt::format(" = {:.0f} % of {}", 100 * record.rate.fraction_of_limit, record.rate.limit);
    if (record.rate.fraction_of_sustained > 0)
      line += fmt::format(" with cold clocks, {:.0f} % of what it sustains",
                          100 * record.rate.fraction_of_sustained);
    if (!record.rate.above_limit.empty()) line += fmt::format(" ({})", record.rate.above_limit);
    if (const auto now = fraction_of_limit_at_probe(record))
      line += *now > 1 ? ", more than the probe makes of it now"
                       : fmt::format(", {:.0f} % of what it is now", 100 * *now);
  }
  if (record.measured.hidden_fraction) {
    line +=
        fmt::format("      communication hidden: {:.0f} %", 100 * *record.measured.hidden_fraction);
  }
  line += "\n";
  std::string moved;
  for (const TermRate& rate : record.rate.terms) {
    moved += fmt::format("{}{} {}", moved.empty() ? "moves " : ", ", rate.term,
                         with_prefix(rate.bytes_per_s, "B/s"));
    if (rate.fraction_of_limit > 0)
      moved += fmt::format(" ({:.0f} %{}{})", 100 * rate.fraction_of_limit,
                           rate.above_limit.empty() ? "" : ", ", rate.above_limit);
  }
  return moved.empty() ? line : line + moved + "\n";
}

/// "12.3 J per step (packages 85 W, GPUs 410 W): 345 Mcells/J"
std::string energy_line(const Record& record, const std::string& step) {
  if (!record.energy) return {};
  std::string watts;
  for (const auto& [part, power] : record.energy->watts)
    watts += fmt::format("{}{} {:.3g} W", watts.empty() ? "" : ", ", part == "gpus" ? "GPUs" : part,
                         power);
  std::string line =
      fmt::format("energy {:.3g} J per {} ({})", record.energy->joules_per_step, step, watts);
  if (record.energy->units_per_joule > 0)
    line += ": " + with_prefix(record.energy->units_per_joule, per_joule(record.rate.unit));
  return line + "\n";
}

/// What came before the first step, by itself.
std::string setup_line(const Record& record) {
  std::string parts;
  double total_s = 0;
  for (const auto& [name, seconds] : record.setup) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, time_text(seconds));
    total_s += seconds;
  }
  return parts.empty() ? "" : fmt::format("setup, once: {} ({})\n", time_text(total_s), parts);
}

/// Only where it is predicted to matter: of two ranks that do the same, one is always slower.
std::string imbalance_line(const Record& record) {
  constexpr double worth_saying = 0.01;
  const Prediction* const refined = find_prediction(record, "refined");
  if (refined == nullptr || refined->imbalance_s <= worth_saying * refined->total_s) return {};
  const auto share = [](double seconds, double total_s) {
    return fmt::format("{:.1f} %", 100 * seconds / total_s);
  };
  return fmt::format("imbalance: {} of the step predicted, {} measured\n",
                     share(refined->imbalance_s, refined->total_s),
                     record.measured.imbalance_s
                         ? share(*record.measured.imbalance_s, record.measured.total_s.median)
                         : "not");
}

std::string probe_line(const Record& record) {
  if (!record.probe) return {};
  const ProbeResult& probe = *record.probe;
  const auto fraction = probed_fraction(record);
  if (!fraction)
    return fmt::format("{} now: {} per rank\n", probe.of,
                       with_prefix(probe.rate.median, probe.unit));
  const auto error = refined_error_at_probe(record);
  const auto core = probed_core_fraction(record);
  return fmt::format("{} now: {:.2f} of calibrated{}{}\n", probe.of, *fraction,
                     core ? fmt::format(", the core {:.2f}", *core) : "",
                     error ? "; refined error against it: " + signed_percent(*error) : "");
}

/// Loud where it is not normal.
std::string loud(Answer answer) {
  if (answer == Answer::cannot_tell) return "CANNOT TELL";
  if (answer == Answer::slower) return "SLOWER THAN NORMAL";
  return answer == Answer::faster ? "FASTER THAN NORMAL" : name_of(answer);
}

/// The times that are normal; where this one is not known to be, what makes their range so wide.
std::string interval_lines(const RunInterval& interval, const RunVerdict& verdict,
                           const Columns& columns) {
  const auto range = [&](const RunInterval::Ends& ends) {
    return fmt::format("{} {}", columns.range(ends.low_s, ends.high_s), columns.unit());
  };
  const auto cause = [](const std::pair<double, double>& ratios) {
    return fmt::format("{} to {}", signed_percent(ratios.first - 1),
                       signed_percent(ratios.second - 1));
  };
  const std::string model =
      interval.model_runs > 0
          ? fmt::format("{}, of {} runs", cause(interval.model), interval.model_runs)
          : "not known";
  std::string lines = fmt::format("{} for this machine: 90 % of its runs take {}",
                                  loud(verdict.for_machine), range(interval.run));
  if (verdict.for_machine != Answer::normal)
    lines += fmt::format(" (calibration {}; drift {}; model {})", cause(interval.calibration),
                         cause(interval.drift), model);
  lines += "\n";
  if (verdict.at_probe)
    lines += fmt::format("{} for its speed during the run: 90 % take {}\n", loud(*verdict.at_probe),
                         range(*interval.at_probe));
  return lines;
}

/// The record's verdict with the intervals it is by.
std::string answer_lines(const Record& record, const Columns& columns) {
  if (record.predicted.empty()) {
    return record.machine.empty()
               ? "no machine: not predicted (bellwether calibrate -o machine.json)\n"
               : fmt::format("machine {}: not predicted\n", record.machine);
  }
  const Prediction* const refined = find_prediction(record, "refined");
  if (refined == nullptr) return {};
  const RunVerdict verdict = verdict_of(record);
  std::string lines =
      record.interval ? interval_lines(*record.interval, verdict, columns)
                      : fmt::format("{} by the machine's intervals alone: refined total {} {}\n",
                                    loud(verdict.for_machine),
                                    columns.range(refined->low_s, refined->high_s), columns.unit());
  if (!verdict.because.empty())
    lines += fmt::format("cannot tell: {}; {}\n", verdict.because, verdict.to_do);
  return verdict.explanation.empty() ? lines : lines + verdict.explanation + "\n";
}

/// Of all predictions, each once.
std::string outside_lines(const Record& record) {
  std::string lines;
  std::set<std::string> said;
  const auto say = [&](const char* label, const std::vector<std::string>& all) {
    for (const std::string& line : all)
      if (said.insert(line).second) lines += fmt::format("{}: {}\n", label, line);
  };
  for (const Prediction& prediction : record.predicted)
    say("OUTSIDE THE MACHINE", prediction.outside_machine);
  for (const Prediction& prediction : record.predicted)
    say("OUTSIDE CALIBRATED RANGE", prediction.outside_range);
  return lines;
}

}  // namespace

std::vector<std::string> aligned(const Rows& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string table_text(const Rows& rows) {
  std::string text;
  for (const std::string& line : aligned(rows))
    text += fmt::format(" {}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  return text;
}

std::string format_table(const Record& record, const std::string& title, const std::string& step) {
  const Comparison comparison = compare(record);
  const Columns columns(record, comparison, step);
  std::vector<Row> rows = columns.heading();
  for (const ComparedTerm& term : shown(comparison)) rows.push_back(columns.row(term));
  rows.push_back(columns.row(comparison.total));
  const std::vector<std::string> lines = aligned(rows);

  std::string table =
      fmt::format("{:<{}}  {}\n", title, lines.front().size(), verdict(record.verification));
  if (record.oversubscribed)
    table +=
        "OVERSUBSCRIBED: ranks share cores or CPU time, or have more threads than cores, and wait "
        "for one another; these times are not the machine's\n";
  if (record.throttled)
    table += fmt::format(
        "THROTTLED: a CPU quota of {:.3g} stopped rank {} and its control group in {} of {} "
        "periods, for {:.2f} s; these times are not the machine's\n",
        record.throttled->cpus, record.throttled->rank, record.throttled->throttled_periods,
        record.throttled->periods, record.throttled->seconds);
  table += answer_lines(record, columns);
  for (const std::string& line : lines)
    table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  if (record.ranks_per_device > 1)
    table += fmt::format(
        "SHARED DEVICE: {} ranks share a GPU and take turns on it; these times are of time "
        "slices\n",
        record.ranks_per_device);
  return table + setup_line(record) + rate_lines(record) + energy_line(record, step) +
         imbalance_line(record) + probe_line(record) + outside_lines(record);
}

}  // namespace bellwether
