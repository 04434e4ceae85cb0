// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/plan.hpp"

namespace bellwether {

enum class ComputeKernel { multiply_add, gemm };

/// Arithmetic in registers or a library's matrix product, on one rank or on all at once.
struct ComputeSpec {
  ComputeKernel kernel;
  std::string precision;
  bool all;
  int gemm_size;
  double flops;  ///< of one operation on one rank

  [[nodiscard]] std::string name() const;
};

/// What a kernel without work over `items` work items adds where many are launched one after
/// another, with one fence after all of them: as an application launches.
struct LaunchSpec {
  std::size_t items;
};

struct ComputeCases {
  std::vector<Planned<ComputeSpec>> kernels;
  std::vector<Planned<LaunchSpec>> launches;  ///< of one item first: the launch overhead
  std::string gemm_problem;  ///< why some rank has no matrix products; empty if all have them
};
/// Collective.
ComputeCases plan_compute(Plan& plan);

BenchCase make_case(Bench& bench, const ComputeSpec& spec);
BenchCase make_case(Bench& bench, const LaunchSpec& spec);

}  // namespace bellwether
