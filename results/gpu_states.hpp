// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// What is to be known of GPUs that should be alike, for people. `states`: what GpuMonitor::read
/// told each rank, null where it computes on a CPU. First, what all have in common; then a line for
/// each of model, driver, highest clocks, power limit, ECC and MIG in which they differ, with the
/// ranks of all but the most frequent. What no GPU tells is left out; without GPUs nothing is said.
std::vector<std::string> gpu_remarks(const std::vector<nlohmann::json>& states);

}  // namespace bellwether
