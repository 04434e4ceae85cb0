// SPDX-License-Identifier: MIT
#include "models/scaling/outside_machine.hpp"

#include <fmt/format.h>

namespace bellwether {

std::vector<std::string> outside_machine(const Machine& machine, int ranks, double bytes_per_rank) {
  std::vector<std::string> lines;
  const DeviceParameters& device = machine.device;
  const bool published = device.backend.empty();
  if (published && ranks > machine.layout.ranks)
    lines.push_back(fmt::format("{} ranks asked, the machine has {}", ranks, machine.layout.ranks));
  if (device.memory_bytes > 0 && bytes_per_rank > device.memory_bytes)
    lines.push_back(fmt::format("memory: {:.3g} GB of each rank asked, which has {:.3g} GB",
                                bytes_per_rank / 1e9, device.memory_bytes / 1e9));
  return lines;
}

}  // namespace bellwether
