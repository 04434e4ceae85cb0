// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "miniapps/comm/session/session.hpp"
#include "results/gpu_monitor.hpp"
#include "results/health.hpp"

namespace bellwether {

/// What the system tells of the health of the node and of the `cores` that this rank may run on,
/// from /sys and /proc below `root`; with a GPU also what that tells. NUMA distances are the
/// firmware's (ACPI's SLIT): 10 within a node, 11 or 12 mostly within a socket, more beyond. What
/// cannot be read has no reading.
std::vector<HealthReading> read_health(const std::vector<int>& cores, GpuMonitor* gpu,
                                       const std::filesystem::path& root = "/");

/// Collective. Of all ranks' nodes, the same on every rank. `gpu`: of this rank's GPU; null on all:
/// they compute on CPUs. A single node's network card is not looked at.
HealthFindings look_at_health(const Session& session, GpuMonitor* gpu, HealthLimits limits);

}  // namespace bellwether
