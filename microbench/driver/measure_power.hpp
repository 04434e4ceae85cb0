// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "microbench/driver/bench_case.hpp"
#include "microbench/driver/registry.hpp"
#include "miniapps/driver/energy_meter.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Collective. The machine's `power`: medians of three stretches each of the plan's probes of
/// memory and matrix product on all ranks. Nothing where no energy is counted.
void measure_power(const Session& session, const Plan& plan, EnergyMeter& meter, Machine& machine,
                   double stretch_s = 1);

}  // namespace bellwether
