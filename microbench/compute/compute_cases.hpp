// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/bench.hpp"

namespace bellwether {

enum class ComputeKernel { multiply_add, gemm };

/// Arithmetic in registers or a library's matrix product, on one rank or on all at once.
struct ComputeSpec {
  ComputeKernel kernel;
  std::string precision;
  bool all;

  [[nodiscard]] std::string name() const;
};
/// Without matrix products where a rank has none.
std::vector<ComputeSpec> compute_specs(const Bench& bench);
Benchmark make_case(Bench& bench, const ComputeSpec& spec);
/// Flops of one operation on one rank.
double flops_of(const Bench& bench, const ComputeSpec& spec);

/// What a kernel without work over `items` work items adds where many are launched one after
/// another, with one fence after all of them: as an application launches.
Benchmark make_launch_case(Bench& bench, std::size_t items);
std::string launch_name(std::size_t items);

}  // namespace bellwether
