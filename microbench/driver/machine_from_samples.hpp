// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/driver/measurements.hpp"
#include "microbench/driver/samples.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Fits the plan's samples: device, links and collectives of the machine, with warnings about
/// residuals above 10 % and about what one rank or one node cannot measure. Leaves name, source,
/// date and provenance to the caller.
Machine machine_from_samples(const Bench& bench, const MeasurementPlan& plan,
                             const SampleStore& store);

/// A warning for each benchmark of the drift group whose median moved by more than 10 %.
std::vector<std::string> drift_warnings(const SampleStore& first, const SampleStore& last);

}  // namespace bellwether
