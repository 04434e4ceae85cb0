// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/launch/device.hpp"
#include "kernels/launch/grid.hpp"

namespace bellwether::launch {

using Exec = Kokkos::DefaultExecutionSpace;
/// Kernels run on the host's cores: rows are vectorized and streamed there, points elsewhere.
inline constexpr bool on_host = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

using Items = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// The cells of a box as work items, x fastest.
class BoxItems {
 public:
  explicit BoxItems(const Box& box)
      : x_(box.low[0]),
        y_(box.low[1]),
        z_(box.low[2]),
        nx_(box.extent(0)),
        ny_(box.extent(1)),
        count_(static_cast<std::int64_t>(box.cells())) {}

  [[nodiscard]] Items items(const Exec& exec) const { return Items(exec, 0, count_); }
  KOKKOS_INLINE_FUNCTION int i(std::int64_t item) const {
    return x_ + static_cast<int>(item % nx_);
  }
  KOKKOS_INLINE_FUNCTION int j(std::int64_t item) const {
    return y_ + static_cast<int>(item / nx_ % ny_);
  }
  KOKKOS_INLINE_FUNCTION int k(std::int64_t item) const {
    return z_ + static_cast<int>(item / nx_ / ny_);
  }

 private:
  int x_, y_, z_;
  std::int64_t nx_, ny_, count_;
};

}  // namespace bellwether::launch

namespace bellwether {

/// A stream of the kokkos backend: an instance of Kokkos' default execution space.
class KokkosStream : public Stream {
 public:
  explicit KokkosStream(launch::Exec exec) : exec_(std::move(exec)) {}
  [[nodiscard]] const launch::Exec& exec() const { return exec_; }

 private:
  launch::Exec exec_;
};

inline const launch::Exec& kokkos_exec(Stream& stream) {
  return static_cast<KokkosStream&>(stream).exec();
}

}  // namespace bellwether
