// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "miniapps/amg/matrices/operation_matrix.hpp"

namespace bellwether {

/// hypre's operations on a matrix of each rank's own, all ranks at once: each with nothing of it in
/// the caches, and again in turn.
struct AmgSpec : AmgShape {
  bool on_gpu = false;  ///< without Gauss-Seidel, which solves with triangles there
  [[nodiscard]] std::string name() const;
};
using AmgCases = std::vector<Planned<AmgSpec>>;

const char* name_of(AmgOperation operation);
/// In the order of a case's parts, of which each operation has two: the slowest rank's seconds cold
/// and again.
std::vector<AmgOperation> amg_operations(const AmgSpec& spec);

/// What of the usual sizes takes at most so many bytes; a GPU's go on to where its memory limits
/// operations.
std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes, bool on_gpu = false);
AmgCases plan_amg(Plan& plan);
BenchCase make_case(Bench& bench, const AmgSpec& spec);

/// The machine's amg.kernels; nothing where none was measured.
void amg_from_samples(const AmgCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
