// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/bound.hpp"
#include "models/machine.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// The device's peak in a precision, flop/s; in the other precision, with a note, where the machine
/// knows only that. Throws BadInput if it knows none.
Quantity peak_flops(const DeviceParameters& device, const std::string& precision,
                    std::vector<std::string>& notes);

/// How a kernel is asked to run: on `ranks` ranks of a node at once, with `stores` "cached",
/// "streaming" or "auto" (the faster of both).
struct KernelConditions {
  std::string precision;
  std::string stores;
  int ranks = 1;
  double working_set_bytes = 0;
};

/// Seconds of one kernel in the refined form: max(F / F_peak, bytes x seconds per byte) plus its
/// launches. Seconds per byte come from the device's memory curves, linear between the neighbouring
/// rereads and numbers of ranks, or from its memory bandwidth if it has no curves. What lies
/// outside the calibrated range is read at its edge and noted, one line for each way.
double kernel_time(const DeviceParameters& device, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound,
                   std::vector<std::string>& notes);

}  // namespace bellwether
