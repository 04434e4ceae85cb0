// SPDX-License-Identifier: MIT
#include "run/command/what_if_table.hpp"

#include <algorithm>
#include <cmath>

#include "run/command/prediction_findings.hpp"
#include "run/command/prediction_rows.hpp"
#include "run/command/prediction_text.hpp"

namespace bellwether {
namespace {

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
      text.put(row.outside() || other.outside() ? "  !\n" : "\n");
    }
    for (std::size_t index = 0; index < points.size(); ++index)
      summaries.changes |= points[index].prediction.total_s != others[index].prediction.total_s;
    summaries.before.add(points);
    summaries.after.add(others);
  });
}

}  // namespace

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

}  // namespace bellwether
