// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"

namespace bellwether {

/// One of the Cholesky factorization's operations on every rank at once, on columns of each rank's
/// own, laid out as the mini-app's.
struct CholeskySpec {
  enum class Operation {
    update,     ///< of columns dealt out to so many processes, of `rows` rows, by one column
    scale,      ///< of a column of so many rows, and its copy
    broadcast,  ///< so many doubles from one rank of a node to another, and back
    overhead,   ///< what these take of either's own time while both compute
    factor,     ///< a diagonal block of so many columns
    solve,      ///< so many rows with it
    product,    ///< rows x columns less rows x width times width x columns
  };
  Operation operation;
  std::string precision;  ///< empty: of broadcast and overhead
  long rows = 0;
  long columns = 0;   ///< product
  int width = 0;      ///< block
  int processes = 1;  ///< update: the columns of the first of so many

  [[nodiscard]] std::string name() const;
  /// What an update updates: the own columns and all their values.
  [[nodiscard]] double updated_columns() const;
  [[nodiscard]] double updated_values() const;
};
using CholeskyCases = std::vector<Planned<CholeskySpec>>;

/// What the arena holds: first what updates columns, then the columns.
struct CholeskySizes {
  long rows = 0;     ///< of the products' columns; 0: not even the smallest fit
  long columns = 0;  ///< that they change in turn
  int widest = 0;    ///< block
  std::size_t most_bytes = 0;

  /// Each of a panel and of its rows.
  [[nodiscard]] long ld() const { return rows + 16; }
  [[nodiscard]] std::size_t beside_bytes() const {
    return sizeof(double) * 2 * static_cast<std::size_t>(ld() * widest);
  }
  [[nodiscard]] std::size_t region_bytes() const {
    return sizeof(double) * static_cast<std::size_t>(ld() * columns);
  }
};
/// What of the usual sizes fits; a device's are larger, where launching takes little of a product.
CholeskySizes cholesky_sizes(const CalibrationLimits& limits, std::size_t room, bool on_host);

/// `has_blas`: with blocks; `has_pairs`: with broadcasts within a node.
std::vector<CholeskySpec> cholesky_specs(const CholeskySizes& sizes, bool quick, bool has_blas,
                                         bool has_pairs);

CholeskyCases plan_cholesky(Plan& plan);
BenchCase make_case(Bench& bench, const CholeskySpec& spec);

/// The machine's cholesky section; nothing where none was measured.
void cholesky_from_samples(const CholeskyCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
