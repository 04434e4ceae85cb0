// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_workload.hpp"

#include <algorithm>
#include <numeric>

namespace bellwether {

Prediction slowest_workload(
    const std::string& form, const std::vector<AirfoilWorkload>& workloads, double mean_cells,
    const std::function<RankStep(const AirfoilWorkload& work, Bound bound)>& step) {
  std::vector<int> indices(workloads.size());
  std::iota(indices.begin(), indices.end(), 0);
  return slowest_rank(form, indices, [&](int index, Bound bound) {
    const AirfoilWorkload& work = workloads[static_cast<std::size_t>(index)];
    RankStep one = step(work, bound);
    one.add_imbalance(one.terms.compute_seconds(), work.cells, mean_cells);
    return one;
  });
}

}  // namespace bellwether
