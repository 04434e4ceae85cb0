// SPDX-License-Identifier: MIT
#include "models/roofline/roofline.hpp"

namespace bellwether {

double roofline_time(const Roofline& device, double flops, double bytes, double other_s) {
  return flops / device.peak_flops_per_s + bytes / device.peak_bytes_per_s + other_s;
}

double roofline_flops_per_s(const Roofline& device, double flops, double bytes, double other_s) {
  return flops / roofline_time(device, flops, bytes, other_s);
}

}  // namespace bellwether
