// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_memory.hpp"

#include <fmt/format.h>

#include "kernels/launch/host_memory.hpp"

namespace bellwether {

void require_mesh_memory(const Session& session, double bytes) {
  const double needed = bytes * session.ranks_on_kernel() / session.size();
  agree_on_errors(session.world(), [&] {
    const auto available = static_cast<double>(host_memory_available());
    constexpr double gib = 1 << 30;
    if (needed > available)
      throw BadEnvironment(fmt::format(
          "not enough memory on {}: the mesh needs {:.1f} GiB there, and {:.1f} GiB are "
          "available (a smaller mesh, or more nodes)",
          session.host(), needed / gib, available / gib));
  });
}

}  // namespace bellwether
