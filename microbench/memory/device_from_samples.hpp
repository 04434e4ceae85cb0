// SPDX-License-Identifier: MIT
#pragma once

#include "microbench/driver/measurements.hpp"
#include "microbench/driver/samples.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What a rank's device does, from the samples of the memory and compute benchmarks.
DeviceParameters device_from_samples(const Bench& bench, const MeasurementPlan& plan,
                                     const SampleStore& store);

}  // namespace bellwether
