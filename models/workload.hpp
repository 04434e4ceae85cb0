// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {

/// Bytes of one value: 4 for "f32", 8 for "f64". Throws BadInput on anything else.
inline double value_bytes(const std::string& precision) {
  if (precision == "f32") return 4;
  if (precision == "f64") return 8;
  throw BadInput("precision: found \"" + precision + "\", expected f32 or f64");
}

/// One kernel of a step, in machine-independent terms.
struct KernelWork {
  double cells = 0;  ///< points updated or packed
  double flops = 0;
  double bytes = 0;    ///< compulsory memory traffic: each value read once, written once
  double rereads = 0;  ///< times each value read is read again from cache
  int launches = 1;
  double rows = 0;         ///< of cells, of an update whose rows are told apart
  double broken_rows = 0;  ///< of them, those that end amid what is updated at once
};

/// What bounds a step's rate on a machine, if one thing does.
enum class WorkLimit {
  none,
  memory_bandwidth,  ///< of a copy
  update_in_place,   ///< memory bandwidth where each line is written where it was read
  matrix_product,
};

/// What all ranks together do in one step, for the rate. `bytes` is the compulsory memory traffic
/// that the fraction of a memory limit is taken of, `flops` that of the matrix product.
struct StepWork {
  double units = 0;
  std::string unit;  ///< "cells/s"
  double bytes = 0;
  double flops = 0;
  bool per_rank = false;  ///< all are of each rank and grow with the ranks: weak scaling
  WorkLimit limit = WorkLimit::memory_bandwidth;
  std::string precision = {};  ///< "f32" or "f64", where the limit depends on it
  /// Of the step's bytes those of single terms, where they are counted so.
  std::vector<std::pair<std::string, double>> term_bytes = {};

  /// Units of a step of so many ranks together.
  [[nodiscard]] double units_on(int ranks) const { return per_rank ? units * ranks : units; }
};

/// Rows of a dense matrix of which each rank's share is as large as one of `rows` rows alone.
inline long rows_of_all(long rows, int ranks) {
  return std::llround(static_cast<double>(rows) * std::sqrt(static_cast<double>(ranks)));
}

}  // namespace bellwether
