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
  /// Above 0, in place of a matrix' operations: one of hypre's loops with so many threads of each
  /// rank, over `rows` doubles.
  int threads = 0;
  bool on_gpu = false;  ///< without Gauss-Seidel, which solves with triangles there
  [[nodiscard]] std::string name() const;
};
using AmgCases = std::vector<Planned<AmgSpec>>;

const char* name_of(AmgOperation operation);
/// In the order of a case's parts, of which each operation has four: the slowest rank's seconds
/// cold and again, and by how much each is more than the mean of the ranks.
std::vector<AmgOperation> amg_operations(const AmgSpec& spec);

/// Memory of a case: the matrix and the vectors that go with it.
std::size_t amg_case_bytes(const AmgSpec& spec);
/// What of the usual sizes takes at most so many bytes; a GPU's go on to where its memory limits
/// operations.
std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes, bool on_gpu = false);
/// Loops of a call's length and of `bytes` together, with 1, 2, 4, ... and `most_threads` threads;
/// nothing where that is 1.
std::vector<AmgSpec> amg_loop_specs(int most_threads, std::size_t bytes);

AmgCases plan_amg(Plan& plan);
BenchCase make_case(Bench& bench, const AmgSpec& spec);

/// The machine's amg.kernels; nothing where none was measured.
void amg_from_samples(const AmgCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
