// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// Updates by columns, of columns that take so many bytes together, again and again; bytes read
/// plus bytes written.
struct ColumnUpdateRate {
  double bytes = 0;
  Quantity bandwidth_bytes_per_s;
};

/// What a block of B columns costs.
struct CholeskyBlock {
  double block = 0;
  Quantity factor_s;           ///< the diagonal block
  Quantity solve_flops_per_s;  ///< below it: B^2 flops a row
  /// 2 m n B flops take 1 / F (1 + half_m/m + half_n/n) seconds each, m rows, n columns.
  Quantity product_flops_per_s;
  Quantity half_m, half_n;
};

/// The mini-app's kernels on one rank in one precision, with all ranks at work.
struct CholeskyKernelRates {
  Quantity update_start_up_s;            ///< of the update by one column
  Quantity column_start_up_s;            ///< of each column updated in it
  std::vector<ColumnUpdateRate> update;  ///< ascending bytes
  Quantity scale_start_up_s;             ///< of a column, with its copy for the others
  Quantity scale_bandwidth_bytes_per_s;  ///< of it; bytes of the column
  std::vector<CholeskyBlock> blocks;     ///< ascending; may be empty
};

/// What the refined form of the Cholesky factorization asks of a machine.
struct CholeskyParameters {
  static constexpr const char* section_name = "cholesky";
  std::map<std::string, CholeskyKernelRates> kernels;  ///< by precision
  /// A column or block from one rank of a node to another, by memory that both see.
  std::optional<Quantity> broadcast_latency_s, broadcast_bandwidth_bytes_per_s;
  /// What of it takes the time of its sender, and as much of its receiver, beside its bytes.
  std::optional<Quantity> broadcast_overhead_s;
};

JsonType<CholeskyParameters> cholesky_parameters_type();

}  // namespace bellwether
