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

/// Seconds of one kernel in the refined form, its launches included. On a CPU with memory curves
/// bytes x seconds per byte + F / F_peak, as in the Improved Roofline (Shimokawabe, Eq. 1): a core
/// does not hide its arithmetic behind its own loads. F lacks the flops that the curves' own kernel
/// does. On a GPU, whose threads hide each other's, the larger of the two. Seconds per byte come
/// from the device's memory curves, linear between the neighbouring rereads and numbers of ranks,
/// or from its memory bandwidth if it has no curves. What lies outside the calibrated range is read
/// at its edge and noted, one line for each way.
double kernel_time(const DeviceParameters& device, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound,
                   std::vector<std::string>& notes);

}  // namespace bellwether
