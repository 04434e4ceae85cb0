// SPDX-License-Identifier: MIT
#include "run/command/prediction_findings.hpp"

#include "run/command/prediction_text.hpp"

namespace bellwether {

void write_findings(const ScalingSummary& summary, const PredictionSweep& sweep,
                    const std::string& label, const Sink& sink) {
  Text text(sink);
  for (const auto& [name, form] : summary.forms()) {
    if (!form.overlaps)
      text.add("{}overlap, {}: this form knows none; the modes differ by their layouts at most\n",
               label, name);
    else if (!form.best_overlap.empty())
      text.add("{}best overlap mode by ranks, {}: {}\n", label, name,
               best_overlap_text(summary, form));
  }
  for (const auto& [name, form] : summary.forms()) {
    if (form.communication_bound_from)
      text.add("{}communication takes longer than what can hide it, {}: from {} ranks on\n", label,
               name, *form.communication_bound_from);
    else if (form.communicates)
      text.add("{}communication takes longer than what can hide it, {}: at none of these\n", label,
               name);
  }
  const bool grows = sweep.app().work().per_rank;  // then the smallest count is always fastest
  for (const auto& [name, form] : summary.forms())
    if (!grows)
      text.add("{}fastest, {}: {} at {} ranks, overlap {}, layout {}\n", label, name,
               time_text(form.total_s), form.ranks, overlap_text(form.overlap), form.layout);
  if (const LeftOut& left_out = sweep.left_out(); left_out.count > 0)
    text.add("{}left out: {} of {} rank counts, the first of them {}: {}\n", label, left_out.count,
             sweep.counts(), left_out.first, left_out.reason);
  for (const Outside& one : summary.outside_machine())
    text.add("{}! OUTSIDE THE MACHINE from {} ranks on, {} of {} predictions: {}\n", label,
             one.from_ranks, one.points, summary.points(), one.text);
  for (const Outside& one : summary.outside_range())
    text.add("{}! OUTSIDE CALIBRATED RANGE from {} ranks on, {} of {} predictions: {}\n", label,
             one.from_ranks, one.points, summary.points(), one.text);
}

}  // namespace bellwether
