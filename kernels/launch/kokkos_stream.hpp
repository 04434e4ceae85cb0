// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos_items.hpp"

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
