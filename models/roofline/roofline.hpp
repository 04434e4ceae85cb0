// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// What the Improved Roofline needs of a device and of an application; SI units.
struct Roofline {
  double peak_flops_per_s;
  double peak_bytes_per_s;
};

/// Seconds for `flops` and `bytes`: t = F / F_peak + B / B_peak + alpha (Shimokawabe, Eq. 1), with
/// alpha = `other_s` for everything that is neither arithmetic nor memory access.
double roofline_time(const Roofline& device, double flops, double bytes, double other_s = 0);

/// The attainable rate P = F / t of the same equation, flop/s.
double roofline_flops_per_s(const Roofline& device, double flops, double bytes, double other_s = 0);

}  // namespace bellwether
