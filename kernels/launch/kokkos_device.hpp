// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos_launcher.hpp"

namespace bellwether {

/// A stream of the kokkos backend: an instance of Kokkos' default execution space.
class KokkosStream final : public Stream {
 public:
  explicit KokkosStream(launch::Exec exec) : exec_(std::move(exec)) {}
  [[nodiscard]] const launch::Exec& exec() const { return exec_; }

 private:
  launch::Exec exec_;
};

inline const launch::Exec& kokkos_exec(Stream& stream) {
  return static_cast<KokkosStream&>(stream).exec();
}

BackendInfo kokkos_backend_info();
/// Initializes Kokkos on the first call (Kokkos allows one lifetime a process) and leaves its end
/// to the process's exit.
std::unique_ptr<Device> make_kokkos_device(int local_rank);

}  // namespace bellwether
