// SPDX-License-Identifier: MIT
#include "models/amg/amg_extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double interpolation_width = 3;  // a point and its neighbours

double cube(double side) { return side * side * side; }

/// The width of the stencil whose rows have so many entries on average in a grid of `unknowns`:
/// average_reach solved for the width. Absent where the grid is too small to tell.
std::optional<double> stencil_width(double row, double unknowns) {
  const double side = std::cbrt(unknowns);
  const double root = 1 - (std::cbrt(row) - 1 / (4 * side)) / side;
  if (unknowns < 200 || root < 0) return std::nullopt;
  return 2 * side * (1 - std::sqrt(root));
}

/// Stencil widths by level; where a level is too small to tell, that of the finer one.
std::vector<double> stencil_widths(const AmgHierarchy& hierarchy) {
  std::vector<double> widths;
  for (const AmgLevel& level : hierarchy.levels) {
    const double before = widths.empty() ? std::cbrt(level.solve.nonzeros_per_row) : widths.back();
    widths.push_back(stencil_width(level.solve.nonzeros_per_row, level.unknowns).value_or(before));
  }
  return widths;
}

/// Boxes that own at least one of the unknowns, which fall into them at random.
double occupied(double unknowns, int processes) {
  if (processes == 1) return 1;
  return -processes * std::expm1(unknowns * std::log1p(-1.0 / processes));
}

/// Side in points of the box that an active process owns.
double box_side(const AmgLevel& level) {
  return std::cbrt(std::max(1.0, level.unknowns / level.active_processes));
}

/// Boxes that a stencil from one of them reaches into, that one not counted, far from the ends.
double reached_boxes(double width, double side) {
  return cube(std::max(std::min(width, 3.0), 2 + (width - 2) / side)) - 1;
}

/// Points outside the box that its stencils reach.
double halo_points(double width, double side) { return cube(side + width - 1) - cube(side); }

/// Share of so many sends that there is room for: across fewer than three processes none has
/// neighbours on both sides.
double room_for(double sends, double processes) {
  const double sides = std::min(1.0, (std::cbrt(processes) - 1) / 2);
  return (cube(1 + (std::cbrt(1 + sends) - 1) * sides) - 1) / sends;
}

/// What a run tells of the busiest process: as much busier than the mean, and as much of the part
/// that the law says stands in others' columns. `to` has its rows' entries.
void scale_busiest(const AmgOperator& known, const AmgLevel& from, const AmgLevel& to,
                   double outside, AmgOperator& result) {
  if (known.busiest_rows <= 0 || known.busiest_nonzeros <= 0) return;
  const double mean = from.unknowns / from.active_processes;
  result.busiest_rows = std::min(
      to.unknowns, std::max(1.0, to.unknowns / to.active_processes * known.busiest_rows / mean));
  result.total_nonzeros = to.unknowns * result.nonzeros_per_row;
  result.busiest_nonzeros =
      std::min(result.total_nonzeros, result.busiest_rows * result.nonzeros_per_row *
                                          known.busiest_nonzeros / known.busiest_rows /
                                          known.nonzeros_per_row);
  result.offd_share = std::min(1.0, known.offd_share * outside);
}

/// `known`, the operator of level `from`, as it is for the processes and unknowns of level `to`.
AmgOperator scaled(const AmgOperator& known, const AmgLevel& from, const AmgLevel& to,
                   double width) {
  AmgOperator result;
  if (to.active_processes <= 1 || known.max_sends <= 0) return result;
  const double from_side = box_side(from), to_side = box_side(to);
  const double sends =
      known.max_sends * reached_boxes(width, to_side) / reached_boxes(width, from_side);
  const double most = sends * room_for(sends, to.active_processes) /
                      room_for(known.max_sends, from.active_processes);
  result.max_sends = std::min(std::max(1.0, most), to.active_processes - 1);
  const auto average = [](double largest, double processes) {
    return cube(average_reach(std::cbrt(1 + largest), std::cbrt(processes))) - 1;
  };
  result.average_sends = std::min(
      result.max_sends, known.average_sends * average(sends, to.active_processes) /
                            std::max(1e-9, average(known.max_sends, from.active_processes)));
  result.max_elements = known.max_elements * halo_points(width, to_side) /
                        halo_points(width, from_side) * result.max_sends / sends;
  return result;
}

}  // namespace

double average_reach(double width, double side) {
  if (side <= width / 2) return side;
  return std::min(side, width - (width * width - 1) / (4 * side));
}

double local_share(const AmgLevel& level) {
  if (level.active_processes <= 1) return 1;
  const double width = std::cbrt(level.solve.nonzeros_per_row);
  return cube(std::min(1.0, average_reach(width, box_side(level)) / width));
}

AmgFamily::AmgFamily(std::vector<AmgHierarchy> known) : known_(std::move(known)) {
  for (const AmgHierarchy& hierarchy : known_) {
    if (hierarchy.levels.empty()) throw BadInput("hierarchy: found no levels, expected at least 1");
    for (std::size_t level = 1; level < hierarchy.levels.size(); ++level)
      if (hierarchy.levels[level].unknowns >= hierarchy.levels[level - 1].unknowns)
        throw BadInput("hierarchy: found no coarsening, expected unknowns that fall by level");
    widths_.push_back(stencil_widths(hierarchy));
  }
  if (known_.empty()) throw BadInput("hierarchies: found none, expected at least 1");
}

std::size_t AmgFamily::nearest(double unknowns, int processes) const {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t one = 0; one < known_.size(); ++one) {
    if (processes > 1 && known_[one].processes == 1) continue;  // knows no messages
    const double known_unknowns = known_[one].levels.front().unknowns;
    const double size = known_unknowns / known_[one].processes;
    // The second part decides among those with equally many unknowns per process.
    const double distance = std::abs(std::log(unknowns / processes / size)) +
                            1e-6 * std::abs(std::log(unknowns / known_unknowns));
    if (!best || distance < least) {
      best = one;
      least = distance;
    }
  }
  if (!best)
    throw BadInput(
        "hierarchies: found only ones of 1 process, expected one of more, which tells messages");
  return *best;
}

bool AmgFamily::covers(double unknowns, int processes) const {
  // A part in a million of slack: unknowns per process are quotients.
  constexpr double slack = 1 + 1e-6;
  const auto within = [this](double value, auto of) {
    const auto [least, most] =
        std::minmax_element(known_.begin(), known_.end(),
                            [&of](const auto& a, const auto& b) { return of(a) < of(b); });
    return value >= of(*least) / slack && value <= of(*most) * slack;
  };
  return within(processes, [](const AmgHierarchy& one) { return 1.0 * one.processes; }) &&
         within(unknowns / processes, [](const AmgHierarchy& one) {
           return one.levels.front().unknowns / one.processes;
         });
}

AmgHierarchy AmgFamily::at(double unknowns, int processes) const {
  for (const AmgHierarchy& one : known_)
    if (one.processes == processes && one.levels.front().unknowns == unknowns) return one;
  const std::size_t index = nearest(unknowns, processes);
  const AmgHierarchy& reference = known_[index];
  const std::size_t levels = reference.levels.size();
  const double coarsest = std::max(amg_coarsest_unknowns, reference.levels.back().unknowns);

  AmgHierarchy result{processes, {}};  // on nodes of whatever size
  for (double left = unknowns;;) {
    // The coarsest levels are small grids of wide stencils: what counts is their size.
    std::size_t like = result.levels.size();
    if (like + 2 >= levels) {
      const auto distance = [&](std::size_t level) {
        return std::abs(std::log(reference.levels[level].unknowns / left));
      };
      like = levels - 1;
      for (std::size_t level = levels / 2; level < levels; ++level)
        if (distance(level) < distance(like)) like = level;
    }
    const AmgLevel& from = reference.levels[like];
    const double width = widths_[index][like];
    AmgLevel to;
    to.unknowns = left;
    to.active_processes =
        std::clamp(from.active_processes / occupied(from.unknowns, reference.processes) *
                       occupied(left, processes),
                   1.0, std::min<double>(processes, std::max(1.0, left)));
    to.solve = scaled(from.solve, from, to, width);
    to.solve.nonzeros_per_row = std::min(
        left, from.solve.nonzeros_per_row * cube(average_reach(width, std::cbrt(left)) /
                                                 average_reach(width, std::cbrt(from.unknowns))));
    const double outside_before = 1 - local_share(from);
    const double outside = outside_before > 0 ? (1 - local_share(to)) / outside_before : 0;
    scale_busiest(from.solve, from, to, outside, to.solve);
    const bool last = left <= coarsest || levels == 1;
    if (last) {
      result.levels.push_back(to);
      return result;
    }
    const std::size_t finer = std::min(like, levels - 2);
    const AmgLevel& step = reference.levels[finer];
    to.interpolation = scaled(step.interpolation, step, to, interpolation_width);
    to.interpolation.nonzeros_per_row = step.interpolation.nonzeros_per_row;
    scale_busiest(step.interpolation, step, to, outside, to.interpolation);
    if (step.restriction) {
      to.restriction = scaled(*step.restriction, step, to, interpolation_width);
      to.restriction->nonzeros_per_row = step.restriction->nonzeros_per_row;
    }
    result.levels.push_back(to);
    left = std::max(1.0, left * reference.levels[finer + 1].unknowns / step.unknowns);
  }
}

}  // namespace bellwether
