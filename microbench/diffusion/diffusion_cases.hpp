// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

/// The diffusion kernel, the same update written by hand, or the best row copy of the same cells:
/// to be compared within one run, all on the floor of one read and one write of each cell.
struct DiffusionSpec {
  std::string what;       ///< "diffusion", "hand_written" (host devices) or "row_copy"
  std::string precision;  ///< "f32" or "f64"
  int edge;               ///< cells of the whole cube in each direction, split over the ranks in z

  [[nodiscard]] std::string name() const;
};
/// Cubes that fit the bench's arena.
void plan_diffusion(Plan& plan);
BenchCase make_case(Bench& bench, const DiffusionSpec& spec);

}  // namespace bellwether
