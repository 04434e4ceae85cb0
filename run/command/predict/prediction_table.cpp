// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

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
    text.add(" {:>15} {:>10}", with_prefix(sweep.units(best) / p.total_s, unit),
             percent_text(sweep.efficiency(best)));
    if (columns.hides)
      text.add(" {:>6}", best.overlap ? fmt::format("{:.0f} %", 100 * p.hidden_fraction) : "-");
    if (knows_joules) {
      const auto joules = sweep.joules(best);
      text.add(" {:>8} {:>15}", joules ? fmt::format("{:.3g} J", *joules) : "-",
               joules ? with_prefix(sweep.units(best) / *joules, per_joule(unit)) : "-");
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

std::size_t second_dot(const std::string& text) {
  const std::size_t first = text.find('.');
  return first == std::string::npos ? first : text.find('.', first + 1);
}

/// The reasons without how far each goes; a word before a first colon ("network", "not calibrated")
/// is their kind: of one kind they stand together.
std::string reasons_of(const std::vector<Outside>& ways) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const Outside& way : ways) {
    const std::string& text = way.text;
    const std::size_t colon = std::min(text.find(": "), text.find("; "));
    const std::string kind = text.substr(0, colon);
    const bool is_reason =
        colon == std::string::npos || std::count(kind.begin(), kind.end(), ' ') > 1;
    const std::string rest = is_reason ? "" : text.substr(colon + 2);
    const std::size_t end = std::min({rest.find("; "), rest.find(": "), rest.find(" (")});
    std::string reason = rest.substr(0, end);
    if (reason.starts_with("no ")) reason = reason.substr(0, second_dot(reason));
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&kind](const auto& other) { return other.first == kind; });
    if (same == kinds.end())
      kinds.emplace_back(kind, reason);
    else if (same->second.find(reason) == std::string::npos)
      same->second += ", " + reason;
  }
  std::string reasons;
  for (const auto& [kind, of] : kinds)
    reasons += (reasons.empty() ? "" : "; ") + kind + (of.empty() ? "" : ": " + of);
  return reasons;
}

/// `what` is outside, loudly: the reasons by the stretch of rank counts that bears them.
void add_outside(Text& text, const std::string& label, const char* what,
                 const std::vector<Outside>& ways, const ScalingSummary& summary,
                 const std::string& end, bool details) {
  std::vector<std::pair<std::string, std::vector<Outside>>> stretches;
  for (const Outside& way : ways) {
    const std::string stretch = summary.stretch_of(way);
    if (details)
      text.add("{}! {} {}, {} of {} predictions: {}\n", label, what, stretch, way.points,
               summary.points(), way.text);
    const auto same = std::find_if(stretches.begin(), stretches.end(),
                                   [&](const auto& one) { return one.first == stretch; });
    if (same == stretches.end())
      stretches.push_back({stretch, {way}});
    else
      same->second.push_back(way);
  }
  if (details || ways.empty()) return;
  text.add("{}! {}", label, what);
  for (const auto& [stretch, all] : stretches)
    text.add("{}{}: {}", &all == &stretches.front().second ? " " : "; ", stretch, reasons_of(all));
  text.add("{} (--details)\n", end);
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

void add_ways_out(const ScalingSummary& summary, const std::string& label, bool details,
                  Text& text) {
  const std::optional<int> fits = summary.fits_from();
  add_outside(text, label, "OUTSIDE THE MACHINE", summary.outside_machine(), summary,
              fits ? fmt::format("; fits from {} ranks on", *fits) : "", details);
  add_outside(text, label, "OUTSIDE CALIBRATED RANGE", summary.outside_range(), summary, "",
              details);
}

void add_findings(const PredictionSweep& sweep, const std::string& label, bool details,
                  Text& text) {
  const ScalingSummary& summary = sweep.summary();
  for (const auto& [name, form] : summary.forms()) {
    if (form.overlaps && form.has_both)
      text.add("{}best overlap mode by ranks, {}: {}\n", label, name,
               best_overlap_text(summary, form));
  }
  for (const auto& [name, form] : summary.forms()) {
    if (form.communication_bound_from)
      text.add("{}communication takes longer than what can hide it, {}: from {} ranks on\n", label,
               name, *form.communication_bound_from);
  }
  for (const auto& [name, form] : summary.forms())
    if (!sweep.grows())  // else the smallest count is always fastest
      text.add("{}fastest, {}: {} at {} ranks, overlap {}, layout {}\n", label, name,
               time_text(form.total_s), form.ranks, overlap_text(form.overlap), form.layout);
  constexpr double worth_saying = 0.01;
  for (const auto& [name, form] : summary.forms())
    if (form.imbalance > worth_saying)
      text.add("{}imbalance, {}: up to {} of the step, at {} ranks\n", label, name,
               percent_text(form.imbalance), form.imbalance_ranks);
  if (const LeftOut& left_out = sweep.left_out(); left_out.count > 0)
    text.add("{}left out: {} of {} rank counts, the first of them {}: {}\n", label, left_out.count,
             sweep.counts(), left_out.first, left_out.reason);
  add_ways_out(summary, label, details, text);
}

}  // namespace bellwether
