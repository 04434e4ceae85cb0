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

void add_totals(const PredictionSweep& sweep, Text& text) {
  const PredictionColumns columns = columns_of(sweep.points());
  const int fewest_ranks = sweep.points().front().ranks;
  const bool knows_joules = std::ranges::any_of(
      sweep.points(), [&](const ScalingPoint& point) { return sweep.joules(point).has_value(); });
  text.add("{}rate, efficiency, {}largest term: {} form; efficiency against {} rank{}\n",
           !columns.interval                       ? ""
           : sweep.knows_runs() && columns.refined ? "[interval] of 90 % of runs, "
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
  text.add(" largest term\n");
  const std::string unit = sweep.app().work().unit;
  for (const PredictionRow& row : rows_of(sweep.points())) {
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
    text.add(" {}{}\n", largest_term(p), row.outside_alone(sweep.summary()) ? " !" : "");
  }
}

/// One form's terms, as many columns at a time as a line has room for.
void add_terms(const PredictionSweep& sweep, const std::string& name, const FormSummary& form,
               Text& text) {
  const auto width = [](const std::string& term) { return std::max<std::size_t>(9, term.size()); };
  for (auto from = form.terms.begin(); from != form.terms.end();) {
    auto to = from;
    std::size_t line = 16;
    while (to != form.terms.end() && (to == from || line + 1 + width(*to) <= widest_line))
      line += 1 + width(*to++);
    text.add("\nterms, {} form{}\n{:>7} {:>8}", name,
             from == form.terms.begin() ? "" : ", continued", "ranks", "overlap");
    for (auto term = from; term != to; ++term) text.add(" {:>{}}", *term, width(*term));
    text.add("\n");
    for (const ScalingPoint& point : sweep.points()) {
      if (point.form != name) continue;
      text.add("{:>7} {:>8}", point.ranks, overlap_text(point.overlap));
      for (auto term = from; term != to; ++term)
        text.add(" {:>{}}", term_text(point.prediction, *term), width(*term));
      text.add("\n");
    }
    from = to;
  }
}

/// "0.512": after over before.
std::string ratio_text(const ScalingPoint* before, const ScalingPoint* after) {
  return before == nullptr
             ? "-"
             : fmt::format("{:.3f}", after->prediction.total_s / before->prediction.total_s);
}

/// Totals before and after, side by side, of the counts that both have.
void add_both(const PredictionSweep& sweep, const PredictionSweep& changed, Text& text) {
  PredictionColumns columns = columns_of(sweep.points());
  columns.layout_width = std::max(columns.layout_width, columns_of(changed.points()).layout_width);
  text.add("{:>7} {:>8}  {:>{}}  {:>{}}", "ranks", "overlap", "layout", columns.layout_width,
           "what if", columns.layout_width);
  if (columns.paper) text.add(" {:>9} {:>9} {:>7}", "paper", "what if", "ratio");
  if (columns.refined) text.add(" {:>9} {:>9} {:>7}", "refined", "what if", "ratio");
  text.add("\n");
  const std::vector<PredictionRow> after = rows_of(changed.points());
  auto next = after.begin();
  for (const PredictionRow& row : rows_of(sweep.points())) {
    const auto other = std::find_if(next, after.end(), [&](const PredictionRow& one) {
      return one.best().ranks == row.best().ranks && one.best().overlap == row.best().overlap;
    });
    if (other == after.end()) continue;
    next = other + 1;
    text.add("{:>7} {:>8}  {:>{}}  {:>{}}", row.best().ranks, overlap_text(row.best().overlap),
             row.best().layout, columns.layout_width, other->best().layout, columns.layout_width);
    for (const auto form : {&PredictionRow::paper, &PredictionRow::refined})
      if (row.*form != nullptr)
        text.add(" {:>9} {:>9} {:>7}", total_text(row.*form), total_text((*other).*form),
                 ratio_text(row.*form, (*other).*form));
    const bool marked =
        row.outside_alone(sweep.summary()) || other->outside_alone(changed.summary());
    text.add("{}\n", marked ? "  !" : "");
  }
}

/// A machine as it is beside the same with changes: these, each rank count's and overlap mode's
/// totals before and after, and the findings for both.
void add_what_if(const PredictionSweep& sweep, const ChangedSweep& changed, bool details,
                 Text& text) {
  text.add("{} on {} as it is, and what if: predicted, per {}\n", sweep.app().name(),
           sweep.machine().name, sweep.app().step_name());
  for (const WhatIfChange& change : changed.changes) {
    text.add("what if {} is {:g} (before: {:g})\n", change.key, change.after, change.before);
    for (const std::string& key : change.scaled_along) text.add("    scaled along: {}\n", key);
  }
  add_both(sweep, changed.sweep, text);
  text.add("\n");
  const auto total = [](const ScalingPoint& point) { return point.prediction.total_s; };
  if (std::ranges::equal(sweep.points(), changed.sweep.points(), {}, total, total))
    text.add("no total changes: none of these predictions uses what was changed\n");
  add_findings(sweep, "as it is: ", details, text);
  add_findings(changed.sweep, "what if: ", details, text);
}

}  // namespace

std::string prediction_table(const PredictionSweep& sweep, const ChangedSweep* changed,
                             const TableContents& contents) {
  Text text;
  if (changed != nullptr) {
    add_what_if(sweep, *changed, contents.details, text);
    return std::move(text).take();
  }
  text.add("{} on {}: predicted, per {}\n", sweep.app().name(), sweep.machine().name,
           sweep.app().step_name());
  add_totals(sweep, text);
  if (contents.terms)
    for (const auto& [name, form] : sweep.summary().forms()) add_terms(sweep, name, form, text);
  text.add("\n");
  add_findings(sweep, "", contents.details, text);
  return std::move(text).take();
}

}  // namespace bellwether
