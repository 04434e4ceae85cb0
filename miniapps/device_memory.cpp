// SPDX-License-Identifier: MIT
#include "miniapps/device_memory.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {

void require_device_memory(const Session& session, const Device& device, std::size_t bytes,
                           const char* what) {
  double needed = static_cast<double>(bytes);
  if (device.is_host())
    MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, session.node());
  agree_on_errors(session.world(), [&] {
    const double available = static_cast<double>(device.memory_available());
    if (needed <= available) return;
    constexpr double gib = 1 << 30;
    throw BadEnvironment(fmt::format(
        "not enough memory on {}: {} {} {:.2f} GiB{}, and {:.2f} GiB are available (a smaller "
        "problem, or more nodes)",
        session.host(), what,
        device.is_host() && session.ranks_on_node() > 1 ? "of all its ranks need" : "need",
        needed / gib, device.is_host() ? "" : " on the device", available / gib));
  });
}

}  // namespace bellwether
