// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/roofline/kernel_time.hpp"

namespace bellwether {

double hpl_bytes(const HplProblem& problem) {
  return 8. * static_cast<double>(problem.size) * static_cast<double>(problem.size) /
         problem.ranks();
}

void note_idle_ranks(const HplProblem& problem, std::vector<std::string>& notes) {
  if (std::max(problem.grid.rows, problem.grid.columns) > problem.panels())
    notes.push_back(fmt::format("ranks without work: {} blocks over a grid of {}", problem.panels(),
                                problem.grid.name()));
}

Quantity device_gemm_flops(const Machine& machine, std::vector<std::string>& notes) {
  const auto measured = machine.device.gemm_flops_per_s.find("f64");
  if (measured != machine.device.gemm_flops_per_s.end()) return measured->second;
  notes.push_back("not calibrated: no dgemm rate (device.gemm_flops_per_s.f64), the peak is taken");
  return peak_flops(machine.device, "f64", notes);
}

}  // namespace bellwether
