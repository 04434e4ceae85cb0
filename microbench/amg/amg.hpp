// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"

namespace bellwether {

/// hypre's operations on a matrix of each rank's own, all ranks at once: each with nothing of it in
/// the caches, and again in turn.
struct AmgSpec {
  bool transfer = false;  ///< an interpolation to so many rows; else a level's matrix
  int rows = 0;
  int entries_per_row = 0;

  [[nodiscard]] std::string name() const;
};
using AmgCases = std::vector<Planned<AmgSpec>>;

enum class AmgOperation { spmv, gauss_seidel, jacobi, interpolate, restriction };
const char* name_of(AmgOperation operation);
/// In the order of a case's parts, of which each operation has two: cold and again.
std::vector<AmgOperation> amg_operations(const AmgSpec& spec);

/// Memory of a case: the matrix and the vectors that go with it.
std::size_t amg_case_bytes(const AmgSpec& spec);
/// What of the usual sizes takes at most so many bytes.
std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes);

/// A synthetic matrix and hypre's operations on it. Columns lie about the row's place in a cube of
/// points that are counted along its lines, the nearest first, the point before in the same line
/// among them: on this a Gauss-Seidel sweep waits as it does on a grid.
class AmgMatrix {
 public:
  virtual ~AmgMatrix() = default;
  virtual void run(AmgOperation operation) = 0;
};

/// Whether this program was built with hypre, without which there are no matrices.
bool has_amg_matrices();
/// Throws std::runtime_error naming what hypre says of an error.
std::unique_ptr<AmgMatrix> make_amg_matrix(const AmgSpec& spec);
/// That hypre works with, of each rank.
int amg_threads();

AmgCases plan_amg(Plan& plan);
BenchCase make_case(Bench& bench, const AmgSpec& spec);

/// The machine's amg.kernels; nothing where none was measured.
void amg_from_samples(const AmgCases& cases, const SampleStore& store, Machine& machine);

/// What the machine knows of a solve cycle; nothing where it has no such section.
void amg_table(const Machine& machine, ParameterTable& table);
/// The same in a line; empty where the machine has none.
std::string amg_line(const Machine& machine);

}  // namespace bellwether
