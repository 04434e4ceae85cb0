// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/airfoil/airfoil.hpp"
#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// Cells whose sums are added up one after another.
inline constexpr std::int32_t airfoil_sum_part = 1024;

/// A sum of doubles, and what adds two up on a device.
struct AirfoilSum {
  double value = 0;
  BELLWETHER_HOST_DEVICE void add(const AirfoilSum& more) { value += more.value; }
};

/// values[c] of cell `item` of a part of the range; nothing behind the range's end.
template <class T>
struct AirfoilCellValue {
  ElementRange cells;
  const T* values;

  BELLWETHER_HOST_DEVICE AirfoilSum operator()(std::int64_t part, std::int64_t item) const {
    const std::int64_t cell = cells.begin + part * airfoil_sum_part + item;
    return {cell < cells.end ? static_cast<double>(values[cell]) : 0};
  }
};

/// The sums of one cell, likewise.
template <class T>
struct AirfoilCellSums {
  ElementRange cells;
  const T* values;
  const T* weights;  ///< or null

  BELLWETHER_HOST_DEVICE AirfoilSums operator()(std::int64_t part, std::int64_t item) const {
    AirfoilSums sums;
    const std::int64_t cell = cells.begin + part * airfoil_sum_part + item;
    if (cell >= cells.end) return sums;
    const double weight = weights != nullptr ? static_cast<double>(weights[cell]) : 1;
    double zero = 0;  // NaN where a value is not finite
    for (int k = 0; k < 4; ++k) {
      const auto value = static_cast<double>(values[4 * cell + k]);
      sums.total[k] = weight * value;
      sums.magnitude[k] = absolute(weight * value);
      zero += value - value;
    }
    if (zero != 0) sums.not_finite = 1;
    return sums;
  }
};

/// The bits of a cell's values mixed with its number in the whole mesh.
template <class T>
struct AirfoilHash {
  ElementRange cells;
  const T* values;
  const std::int64_t* global;

  BELLWETHER_HOST_DEVICE std::uint64_t operator()(int i, int, int) const {
    const std::int64_t cell = cells.begin + i;
    std::uint64_t sum = 0;
    for (int k = 0; k < 4; ++k) {
      const auto place = static_cast<std::uint64_t>(4 * global[cell] + k);
      sum += mixed_bits(bits_of(values[4 * cell + k]) ^ mixed_bits(place));
    }
    return sum;
  }
};

}  // namespace bellwether
