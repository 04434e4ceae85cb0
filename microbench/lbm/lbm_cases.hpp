// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

/// The D3Q19 update (no force, no eddies, no solid cells), or the update in place of as many
/// values, a[i] = s a[i], as one array or as 19 side by side: to be compared within one run, all on
/// the floor of one read and one write of each value.
struct LbmSpec {
  std::string what;       ///< "lbm", "array_update" or "arrays_update"
  std::string precision;  ///< "f32" or "f64"
  int edge;               ///< cells of the whole cube in each direction, split over the ranks in z

  [[nodiscard]] std::string name() const;
};
/// Cubes that fit the bench's arena.
void plan_lbm(Plan& plan);
BenchCase make_case(Bench& bench, const LbmSpec& spec);

}  // namespace bellwether
