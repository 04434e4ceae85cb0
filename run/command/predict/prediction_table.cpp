// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/power/power_parameters.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {
namespace {

constexpr std::size_t widest_line = 120;

/// "network 63 %": what to look at first.
std::string largest_term(const Prediction& prediction) {
  const auto largest =
      std::max_element(prediction.terms.begin(), prediction.terms.end(),
                       [](const Term& a, const Term& b) { return a.seconds < b.seconds; });
  if (largest == prediction.terms.end() || !(prediction.total_s > 0)) return "-";
  return fmt::format("{} {:.0f} %", largest->name, 100 * largest->seconds / prediction.total_s);
}

std::string term_text(const Prediction& prediction, const std::string& name) {
  for (const Term& term : prediction.terms)
    if (term.name == name) return time_text(term.seconds);
  return "-";
}

void write_heading(const PredictionColumns& columns, int fewest_ranks, bool knows_runs,
                   bool knows_joules, const Sink& sink) {
  Text text(sink);
  text.add("{}rate, efficiency, {}largest term: {} form; efficiency against {} rank{}\n",
           !columns.interval               ? ""
           : knows_runs && columns.refined ? "[interval] of 90 % of runs, "
                                           : "[interval], ",
           columns.hides ? "hidden, " : "", columns.refined ? "refined" : "paper", fewest_ranks,
           fewest_ranks == 1 ? "" : "s");
  text.add("{:>7} {:>{}} {:>7}", "ranks", "layout", columns.layout_width, "overlap");
  if (columns.paper) text.add(" {:>9}", "paper");
  if (columns.refined) text.add(" {:>9}", "refined");
  if (columns.interval) text.add(" {:>15}", "[interval]");
  text.add(" {:>15} {:>10}", "rate", "efficiency");
  if (columns.hides) text.add(" {:>6}", "hidden");
  if (knows_joules) text.add(" {:>8} {:>15}", "energy", "per joule");
  text.put(" largest term\n");
}

ScalingSummary write_totals(PredictionSweep& sweep, const Sink& sink) {
  const PredictionColumns columns = columns_of(sweep.sample());
  const std::string unit = sweep.app().work().unit;
  const bool knows_joules =
      std::any_of(sweep.sample().begin(), sweep.sample().end(),
                  [&](const ScalingPoint& point) { return sweep.joules(point).has_value(); });
  write_heading(columns, sweep.sample().front().ranks, sweep.knows_runs(), knows_joules, sink);
  ScalingSummary summary, sample;
  sample.add(sweep.sample());
  sweep.for_each_batch([&](const PredictionSweep::Batch& points) {
    Text text(sink);
    for (const PredictionRow& row : rows_of(points)) {
      const ScalingPoint& best = row.best();
      const Prediction& p = best.prediction;
      text.add("{:>7} {:>{}} {:>7}", best.ranks, best.layout, columns.layout_width,
               overlap_text(best.overlap));
      if (columns.paper) text.add(" {:>9}", total_text(row.paper));
      if (columns.refined) text.add(" {:>9}", total_text(row.refined));
      if (columns.interval) {
        const auto of_runs = sweep.interval(best);
        const auto [low_s, high_s] = of_runs ? std::pair(of_runs->run.low_s, of_runs->run.high_s)
                                             : std::pair(p.low_s, p.high_s);
        text.add(" {:>15}", interval_text(p.total_s, low_s, high_s));
      }
      text.add(" {:>15} {:>10}", rate_text(sweep.units(best) / p.total_s, unit),
               percent_text(sweep.efficiency(best)));
      if (columns.hides)
        text.add(" {:>6}", best.overlap ? fmt::format("{:.0f} %", 100 * p.hidden_fraction) : "-");
      if (knows_joules) {
        const auto joules = sweep.joules(best);
        text.add(" {:>8} {:>15}", joules ? fmt::format("{:.3g} J", *joules) : "-",
                 joules ? rate_text(sweep.units(best) / *joules, per_joule(unit)) : "-");
      }
      text.add(" {}{}\n", largest_term(p), row.outside_alone(sample) ? " !" : "");
    }
    summary.add(points);
  });
  return summary;
}

/// One form's terms, as many columns at a time as a line has room for.
void write_terms(PredictionSweep& sweep, const std::string& name, const FormSummary& form,
                 const Sink& sink) {
  const auto width = [](const std::string& term) { return std::max<std::size_t>(9, term.size()); };
  for (auto from = form.terms.begin(); from != form.terms.end();) {
    auto to = from;
    std::size_t line = 16;
    while (to != form.terms.end() && (to == from || line + 1 + width(*to) <= widest_line))
      line += 1 + width(*to++);
    Text(sink)
        .add("\nterms, {} form{}\n{:>7} {:>8}", name,
             from == form.terms.begin() ? "" : ", continued", "ranks", "overlap")
        .add_each(
            from, to,
            [&](Text& text, const std::string& term) { text.add(" {:>{}}", term, width(term)); })
        .put("\n");
    sweep.for_each_batch([&](const PredictionSweep::Batch& points) {
      Text text(sink);
      for (const ScalingPoint& point : points) {
        if (point.form != name) continue;
        text.add("{:>7} {:>8}", point.ranks, overlap_text(point.overlap));
        text.add_each(from, to, [&](Text&, const std::string& term) {
          text.add(" {:>{}}", term_text(point.prediction, term), width(term));
        });
        text.put("\n");
      }
    });
    from = to;
  }
}

/// "0.512": after over before.
std::string ratio_text(const ScalingPoint* before, const ScalingPoint* after) {
  return before == nullptr
             ? "-"
             : fmt::format("{:.3f}", after->prediction.total_s / before->prediction.total_s);
}

void write_changes(const std::vector<WhatIfChange>& changes, const Sink& sink) {
  Text text(sink);
  for (const WhatIfChange& change : changes) {
    text.add("what if {} is {:g} (before: {:g})\n", change.key, change.after, change.before);
    for (const std::string& key : change.scaled_along) text.add("    scaled along: {}\n", key);
  }
}

struct Summaries {
  ScalingSummary before;
  ScalingSummary after;
  bool changes = false;  ///< any total
};

/// Totals before and after, side by side.
void write_both(PredictionSweep& sweep, ChangedSweep& changed, Summaries& summaries,
                const Sink& sink) {
  PredictionColumns columns = columns_of(sweep.sample());
  columns.layout_width =
      std::max(columns.layout_width, columns_of(changed.sweep.sample()).layout_width);
  {
    Text text(sink);
    text.add("{:>7} {:>8}  {:>{}}  {:>{}}", "ranks", "overlap", "layout", columns.layout_width,
             "what if", columns.layout_width);
    if (columns.paper) text.add(" {:>9} {:>9} {:>7}", "paper", "what if", "ratio");
    if (columns.refined) text.add(" {:>9} {:>9} {:>7}", "refined", "what if", "ratio");
    text.put("\n");
  }
  ScalingSummary sample, other_sample;
  sample.add(sweep.sample());
  other_sample.add(changed.sweep.sample());
  sweep.for_each_batch([&](const PredictionSweep::Batch& points) {
    Text text(sink);
    const PredictionSweep::Batch others = changed.sweep.at_counts_of(points);
    const std::vector<PredictionRow> after = rows_of(others);
    auto next = after.begin();
    for (const PredictionRow& row : rows_of(points)) {
      const PredictionRow& other = *next++;
      text.add("{:>7} {:>8}  {:>{}}  {:>{}}", row.best().ranks, overlap_text(row.best().overlap),
               row.best().layout, columns.layout_width, other.best().layout, columns.layout_width);
      for (const auto form : {&PredictionRow::paper, &PredictionRow::refined})
        if (row.*form != nullptr)
          text.add(" {:>9} {:>9} {:>7}", total_text(row.*form), total_text(other.*form),
                   ratio_text(row.*form, other.*form));
      text.put(row.outside_alone(sample) || other.outside_alone(other_sample) ? "  !\n" : "\n");
    }
    for (std::size_t index = 0; index < points.size(); ++index)
      summaries.changes |= points[index].prediction.total_s != others[index].prediction.total_s;
    summaries.before.add(points);
    summaries.after.add(others);
  });
}

/// A machine as it is beside the same with changes: these, each rank count's and overlap mode's
/// totals before and after, and the findings for both.
void write_what_if_table(PredictionSweep& sweep, ChangedSweep& changed, bool details,
                         const Sink& sink) {
  Text(sink).add("{} on {} as it is, and what if: predicted, per {}\n", sweep.app().name(),
                 sweep.machine().name, sweep.app().step_name());
  write_changes(changed.changes, sink);
  Summaries summaries;
  write_both(sweep, changed, summaries, sink);
  sink("\n");
  if (!summaries.changes)
    sink("no total changes: none of these predictions uses what was changed\n");
  write_findings(summaries.before, sweep, "as it is: ", details, sink);
  write_findings(summaries.after, changed.sweep, "what if: ", details, sink);
}

}  // namespace

void write_prediction_table(PredictionSweep& sweep, ChangedSweep* changed,
                            const TableContents& contents, const Sink& sink) {
  if (changed != nullptr) return write_what_if_table(sweep, *changed, contents.details, sink);
  Text(sink).add("{} on {}: predicted, per {}\n", sweep.app().name(), sweep.machine().name,
                 sweep.app().step_name());
  const ScalingSummary summary = write_totals(sweep, sink);
  if (contents.terms)
    for (const auto& [name, form] : summary.forms()) write_terms(sweep, name, form, sink);
  sink("\n");
  write_findings(summary, sweep, "", contents.details, sink);
}

}  // namespace bellwether
