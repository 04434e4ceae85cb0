// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/airfoil/airfoil_workload.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {

/// Seconds of one exchange of the halo, for one call of res_calc.
struct AirfoilCommunication {
  double network = 0;
  double to_host = 0;
  double to_device = 0;
  [[nodiscard]] double total() const { return network + to_host + to_device; }
};

/// Adds what is exposed of both calls' communication (Eq. 4: max(core, T_comm) = core + the part of
/// T_comm beyond it), shared out over its terms; without overlap all of it. `core` is the seconds
/// that one call computes before it needs the halo, `hideable_s` those of its communication that
/// leave the rank free to compute.
void add_communication(const AirfoilCommunication& halo, double core, double hideable_s,
                       bool overlap, RankStep& step);

/// The prediction of the slowest of the workloads, with the interval of the machine's intervals.
Prediction slowest_workload(
    const std::string& form, const std::vector<AirfoilWorkload>& workloads,
    const std::function<RankStep(const AirfoilWorkload& work, Bound bound)>& step);

}  // namespace bellwether
