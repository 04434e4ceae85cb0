// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bellwether::hdf5 {

enum class ValueType { int32, float64 };

/// A dataset of `shape` (rows, columns) with OP2's attributes size, dim and type. `size`: of a map
/// how many elements it has, of data how many bytes one has.
struct NewDataset {
  std::string name;
  std::array<std::int64_t, 2> shape{};
  ValueType type = ValueType::int32;
  int size = 0;
};

/// A dataset of one dimension in double precision with OP2's attributes dim and type.
struct NewConstant {
  std::string name;
  std::vector<double> values;
};

inline std::int64_t bytes_of(const NewDataset& dataset) {
  return dataset.shape[0] * dataset.shape[1] * (dataset.type == ValueType::int32 ? 4 : 8);
}

/// By one rank. Makes a file with the constants and room for the datasets, and returns the byte at
/// which each begins. Throws BadInput that says what HDF5 cannot do.
std::vector<std::int64_t> lay_out(const std::string& path,
                                  const std::vector<std::pair<std::string, std::int64_t>>& counts,
                                  const std::vector<NewConstant>& constants,
                                  const std::vector<NewDataset>& datasets);

}  // namespace bellwether::hdf5
