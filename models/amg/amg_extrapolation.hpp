// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/amg/amg_hierarchy.hpp"

namespace bellwether {

/// Hierarchies of one problem and one set of AMG options, known for some numbers of processes and
/// unknowns, and what they let one expect for others. Ours, not the paper's; derived, with how far
/// off it is, in models/amg/README.md:
/// - coarsening ratios are those of the known hierarchy with the nearest number of unknowns per
///   process, level by level; the coarsest level has at most 9 unknowns, or as many as known;
/// - rows keep the width of their stencil, cut off at the grid's ends;
/// - unknowns fall on processes as balls into boxes, which gives the active ones;
/// - processes own boxes: what a stencil reaches into is sent, to all whose boxes it reaches;
/// - the busiest process of a measured hierarchy stays as much busier than the mean; what stays
///   within a node is not known.
class AmgFamily {
 public:
  /// Throws BadInput if `known` is empty or one of it has no levels.
  explicit AmgFamily(std::vector<AmgHierarchy> known);

  /// The hierarchy for so many unknowns on the finest level (at least 1); a known one as it is.
  /// Throws BadInput if messages are asked for and all known hierarchies are of one process.
  [[nodiscard]] AmgHierarchy at(double unknowns, int processes) const;

  /// Whether processes and unknowns per process lie between the known ones' least and largest.
  [[nodiscard]] bool covers(double unknowns, int processes) const;

  [[nodiscard]] const std::vector<AmgHierarchy>& known() const { return known_; }

 private:
  [[nodiscard]] std::size_t nearest(double unknowns, int processes) const;

  std::vector<AmgHierarchy> known_;
  std::vector<std::vector<double>> widths_;  ///< of each known hierarchy's levels
};

/// How many points a stencil `width` points wide reaches within a row of `side` points, on average
/// over the row: a part of it stands out at the ends.
double average_reach(double width, double side);

/// Share of a level's matrix entries whose column belongs to the same process.
double local_share(const AmgLevel& level);

}  // namespace bellwether
