// SPDX-License-Identifier: MIT
// Reads a shipped machine and predicts with it; exits 0 if the numbers are those of the paper.
#include <cmath>
#include <cstdio>

#include "models/machine/machine_file.hpp"
#include "models/roofline/roofline.hpp"

int main() {
  const bellwether::Machine machine = bellwether::find_machine("tsubame2.0");
  const bellwether::Roofline device{machine.device.peak_flops_per_s.at("f32").value,
                                    machine.device.memory_bandwidth_bytes_per_s.value};
  const double rate = bellwether::roofline_flops_per_s(device, 13, 32);
  std::printf("%.1f Gflop/s\n", rate / 1e9);
  return std::abs(rate / 56.8e9 - 1) < 0.002 ? 0 : 1;
}
