// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/launch/device.hpp"

namespace bellwether::launch {

using Exec = Kokkos::DefaultExecutionSpace;
/// Kernels run on the host's cores: rows are vectorized and streamed there, points elsewhere.
inline constexpr bool on_host = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

using Items = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

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
