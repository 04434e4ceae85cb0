// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_network.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/errors.hpp"

namespace bellwether {
namespace {

struct Generation {
  const char* name;
  double lane_bits_per_s;
  double efficiency;
};
constexpr Generation generations[] = {{"SDR", 2.5e9, 8. / 10}, {"DDR", 5e9, 8. / 10},
                                      {"QDR", 10e9, 8. / 10},  {"FDR", 14e9, 64. / 66},
                                      {"EDR", 25e9, 64. / 66}, {"HDR", 50e9, 64. / 66},
                                      {"NDR", 100e9, 64. / 66}};

const Generation& find_generation(const std::string& name) {
  for (const Generation& generation : generations)
    if (name == generation.name) return generation;
  throw BadInput(fmt::format(
      "InfiniBand generation: found \"{}\", expected SDR, DDR, QDR, FDR, EDR, HDR or NDR", name));
}

}  // namespace

double ethernet_frames(double bytes, int mtu_bytes) {
  return std::ceil(bytes / (mtu_bytes - ethernet_frame_overhead_bytes));
}

double ethernet_time(double bytes, double bandwidth_bits_per_s, int mtu_bytes) {
  const double frames = ethernet_frames(bytes, mtu_bytes);
  const double bits =
      frames * ethernet_slot_bits + 8 * (frames * ethernet_frame_overhead_bytes + bytes);
  return bits / bandwidth_bits_per_s;
}

std::vector<std::string> infiniband_generations() {
  std::vector<std::string> names;
  for (const Generation& generation : generations) names.emplace_back(generation.name);
  return names;
}

double infiniband_bandwidth(const std::string& generation, int links) {
  const Generation& found = find_generation(generation);
  return found.lane_bits_per_s * links * found.efficiency / 8;
}

}  // namespace bellwether
