// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"

namespace bellwether {

enum class ComputeKernel { multiply_add, gemm };

/// Arithmetic in registers or a library's product of n x n matrices, on all ranks at once.
struct ComputeSpec {
  ComputeKernel kernel;
  std::string precision;
  int gemm_size;           ///< n; 0: arithmetic in registers
  double flops;            ///< of one operation on one rank
  int batch;               ///< operations in a sample
  bool sustained = false;  ///< after as many that are not timed

  [[nodiscard]] std::string name() const;
};

/// What a kernel without work adds where many are launched one after another, with one fence after
/// all of them: as an application launches.
struct LaunchSpec {};

/// Of a GPU, what lies between kernels on a stream that are each timed by a pair of events, as a
/// mini-app's steps are: not in the time of either.
struct GapSpec {};

/// What chooses the kernels of a host's matrix products; empty where it is not set or not known.
struct BlasFacts {
  std::string asked_core;  ///< OPENBLAS_CORETYPE
  std::string core;        ///< whose kernels OpenBLAS runs; empty: the BLAS is another
  std::string threads;     ///< OPENBLAS_NUM_THREADS
  std::string remark;      ///< blas_remark()
};
BlasFacts read_blas_facts();

struct ComputeCases {
  std::vector<Planned<ComputeSpec>> kernels;
  std::vector<Planned<LaunchSpec>> launches;  ///< one
  std::vector<Planned<GapSpec>> gaps;         ///< one of a GPU, none of a host
  std::string gemm_library;                   ///< DenseKernels::gemm_library of this rank
  std::string gemm_problem;  ///< why some rank has no matrix products; empty if all have them
  BlasFacts blas;
};
/// Collective.
ComputeCases plan_compute(Plan& plan);

/// Of a GPU, products of each precision that go on for a second, last of all: a power limit then
/// lowers the clocks. None of a host, and where there is no library.
struct SustainedCases {
  std::vector<Planned<ComputeSpec>> products;
};
/// Collective.
SustainedCases plan_sustained(Plan& plan);
void sustained_from_samples(const SustainedCases& cases, const SampleStore& store,
                            Machine& machine);

BenchCase make_case(Bench& bench, const ComputeSpec& spec);
BenchCase make_case(Bench& bench, const LaunchSpec& spec);
BenchCase make_case(Bench& bench, const GapSpec& spec);

/// Says of matrix products below 0.6 of the multiply-add peak how far below, and the likely cause
/// on a host; empty otherwise.
std::string gemm_warning(const DeviceParameters& device, const BlasFacts& blas);

/// A rank's arithmetic, its matrix products and what a kernel launch costs.
void compute_from_samples(const ComputeCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
