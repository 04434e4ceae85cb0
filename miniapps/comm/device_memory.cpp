// SPDX-License-Identifier: MIT
#include "miniapps/comm/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {
namespace {

struct Demand {
  std::array<char, 64> pool{};
  double bytes = 0;
};

struct Total {
  double bytes = 0;
  int ranks = 0;
};

/// What the ranks under this kernel that share this rank's memory need together.
Total demand_on_pool(const Session& session, const Device& device, std::size_t bytes) {
  Demand mine;
  mine.bytes = static_cast<double>(bytes);
  const std::string pool = device.memory_pool();
  std::copy_n(pool.begin(), std::min(pool.size(), mine.pool.size()), mine.pool.begin());
  std::vector<Demand> all(static_cast<std::size_t>(session.ranks_on_kernel()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, session.kernel());
  // Nothing is known of who shares a device that does not name its memory.
  if (!device.is_host() && pool.empty()) return {mine.bytes, 1};
  Total total;
  for (const Demand& demand : all) {
    if (demand.pool != mine.pool) continue;
    total.bytes += demand.bytes;
    ++total.ranks;
  }
  return total;
}

}  // namespace

void require_device_memory(const Session& session, const Device& device, std::size_t bytes,
                           const char* what) {
  const Total needed = demand_on_pool(session, device, bytes);
  agree_on_errors(session.world(), [&] {
    const double available = static_cast<double>(device.memory_available());
    if (needed.bytes <= available) return;
    constexpr double gib = 1 << 30;
    throw BadEnvironment(fmt::format(
        "not enough memory on {}: {} {} {:.2f} GiB{}, and {:.2f} GiB are available (a smaller "
        "problem, or more nodes)",
        session.host(), what,
        needed.ranks == 1  ? "need"
        : device.is_host() ? "of all its ranks need"
                           : "of the ranks that share its device need",
        needed.bytes / gib, device.is_host() ? "" : " on the device", available / gib));
  });
}

}  // namespace bellwether
