// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_workload.hpp"

#include <algorithm>
#include <numeric>

namespace bellwether {

void add_communication(const AirfoilCommunication& halo, double core, double hideable_s,
                       bool overlap, RankStep& step) {
  const double all = halo.total();
  if (all <= 0) return;
  const double hidden = overlap ? std::min({core, hideable_s, all}) : 0;
  step.hidden_fraction = hidden / all;
  step.communication_s = 2 * all;
  step.hiding_s = 2 * core;
  const double exposed = 2 * (1 - step.hidden_fraction);
  step.terms.add("network", exposed * halo.network);
  if (halo.to_host > 0) step.terms.add("copy.to_host", exposed * halo.to_host);
  if (halo.to_device > 0) step.terms.add("copy.to_device", exposed * halo.to_device);
}

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
