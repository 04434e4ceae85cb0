// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "run/command/predict/prediction_text.hpp"

namespace bellwether {
namespace {

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
