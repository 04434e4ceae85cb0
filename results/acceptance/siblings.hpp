// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/acceptance/finding.hpp"
#include "results/acceptance/occasions.hpp"

namespace bellwether {

/// What difference matters to whoever accepts the machine: a difference beyond `warning`, as a
/// share, is warned of, one beyond `failure` fails; each on top of what chance explains.
struct Material {
  double warning = 0, failure = 0;
  std::string source;
};

/// Every rank, node and link against its siblings, and of `records`, each an occasion of its app,
/// each rank's time in compute terms. `alpha`: the rate of false alarms of all groups together.
/// `baselines`: the same of earlier acceptances of the layout, perhaps none: of two members that
/// differ they tell which has changed. Groups without siblings are said, not judged.
std::vector<Finding> judge_siblings(const std::vector<nlohmann::json>& occasions,
                                    const std::vector<nlohmann::json>& records,
                                    const Material& material, double alpha,
                                    const std::vector<nlohmann::json>& baselines);

}  // namespace bellwether
