// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "models/noise/noise_parameters.hpp"

namespace bellwether {

/// A run of quanta, one right after the other: the time before each and after the last, seconds on
/// the clock that the ranks of a node share.
using QuantumRun = std::vector<double>;

/// This rank's runs, which begin on all ranks together.
struct NoiseCases {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> node_of_rank;
  std::shared_ptr<std::vector<QuantumRun>> runs;
};

/// A quantum that was late: when it began and ended, and what it took beyond those around it.
struct Detour {
  double begin_s;
  double end_s;
  double late_s;
};

/// The late quanta of a run: longer than the median of the hundred around them by more than 1 us
/// and five median deviations. What changes more slowly is the clock, not a detour.
std::vector<Detour> find_detours(const QuantumRun& run);

/// Of a rank's detours, how many overlap one of another rank of its node, and how many would by
/// chance in `observed_s`. `of_ranks`: each rank's, ascending.
struct SharedDetours {
  double all = 0, shared = 0, by_chance = 0;
};
SharedDetours count_shared(std::span<const std::vector<Detour>> of_ranks, std::size_t rank,
                           double observed_s);

NoiseCases plan_noise(Plan& plan);

/// Collective over the cases' ranks, on each of which the machine gets the same section.
void noise_from_samples(const NoiseCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
