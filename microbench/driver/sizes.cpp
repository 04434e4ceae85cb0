// SPDX-License-Identifier: MIT
#include "microbench/driver/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "microbench/links/topology.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::array edges = {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr int edge_needed = 128;  // a curve that ends within the caches is of no use
constexpr std::size_t airfoil_cell_bytes = 1000;    // at most, while a mesh is built or run on
constexpr std::size_t airfoil_touched_bytes = 200;  // of these what the loops touch in f64

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::vector<int> edges_within(int largest, std::size_t element_bytes, std::size_t room) {
  std::vector<int> fitting;
  for (const int edge : edges)
    if (edge <= largest && 2 * field_bytes(edge, element_bytes) <= room) fitting.push_back(edge);
  return fitting;
}

std::size_t square_bytes(int size) {
  return round_up(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 8, 4096);
}

std::vector<std::size_t> message_sizes(const CalibrationLimits& limits) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= limits.largest_message_bytes; bytes *= 2)
    sizes.push_back(bytes);
  return sizes;
}

/// Twice as long as high, of about so many cells; those for which `room` bytes are enough, and on
/// which the loops touch no more than a copy of the largest cube does.
std::vector<AirfoilMesh> airfoil_meshes(const CalibrationLimits& limits, std::size_t room) {
  const std::size_t most_touched = 2 * field_bytes(limits.largest_edge_f64, sizeof(double));
  std::vector<AirfoilMesh> meshes;
  for (const int cells : limits.airfoil_cells) {
    const auto part = std::max<std::int64_t>(1, std::lround(std::sqrt(cells / 18.0)));
    const AirfoilMesh mesh{2 * part, 3 * part};
    const auto all = static_cast<std::size_t>(mesh.cells());
    if (all * airfoil_cell_bytes <= room && all * airfoil_touched_bytes <= most_touched)
      meshes.push_back(mesh);
  }
  return meshes;
}

/// Four times the last-level cache over `ranks` arrays at once; 0 where the device's caches are not
/// known.
std::size_t wanted_array_bytes(const Sizes& sizes, std::size_t ranks) {
  return sizes.on_host ? round_up(4 * sizes.last_level_cache_bytes / ranks, 4096) : 0;
}

/// At most `largest` bytes, and no more than wanted.
std::size_t array_within(std::size_t largest, std::size_t wanted) {
  if (wanted > 0) largest = std::min(largest, std::max(wanted, mebibyte));
  return largest / 4096 * 4096;
}

/// Of one rank alone: rank 0 may use half of its kernel's memory less what the others there use.
std::size_t plan_alone(const Session& session, const Sizes& sizes, std::size_t room,
                       const CalibrationLimits& limits) {
  const auto ranks = static_cast<std::size_t>(session.ranks_on_kernel());
  const std::size_t others = (ranks - 1) * (sizes.arena_bytes() + sizes.message_buffer_bytes());
  const std::size_t left = room * ranks - others - sizes.message_buffer_bytes();
  unsigned long long bytes = std::max(
      sizes.array_bytes,
      array_within(std::min(limits.largest_array_bytes, left / 3), wanted_array_bytes(sizes, 1)));
  MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, session.world());
  return bytes;
}

/// The least that any rank may use: half of what is there.
std::size_t room_of_a_rank(const Session& session, const Device& device) {
  const std::size_t sharing =
      device.is_host() ? static_cast<std::size_t>(session.ranks_on_kernel()) : 1;
  unsigned long long room = device.memory_available() / 2 / sharing;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, session.world());
  return room;
}

}  // namespace

CalibrationLimits full_limits() { return {}; }

CalibrationLimits quick_limits() {
  CalibrationLimits limits;
  limits.largest_edge_f64 = 384;
  limits.largest_array_bytes = 512 * mebibyte;
  limits.gemm_size = 1024;
  limits.airfoil_cells = {3000, 30'000, 100'000, 400'000, 800'000};
  limits.fewest_rounds = 3;
  limits.most_rounds = 15;
  limits.time_budget_s = 54;
  return limits;
}

std::size_t field_bytes(int edge, std::size_t element_bytes) {
  const GridLayout layout({edge, edge, edge}, element_bytes);
  const std::size_t bytes = layout.elements() * element_bytes;
  return round_up(bytes, bytes >= 2 * mebibyte ? 2 * mebibyte : 4096);
}

std::size_t Sizes::arena_bytes() const {
  return std::max({2 * field_bytes(edges_f32.back(), 4), 2 * field_bytes(edges_f64.back(), 8),
                   3 * array_bytes, 3 * square_bytes(gemm_size), largest_message()});
}

std::size_t Sizes::arena_bytes_of_rank_0() const {
  return std::max(arena_bytes(), 3 * alone_array_bytes);
}

Sizes plan_sizes(const Session& session, const Device& device, const CalibrationLimits& limits) {
  const Topology topology = read_topology();
  Sizes sizes;
  sizes.messages = message_sizes(limits);
  sizes.gemm_size = limits.gemm_size;
  sizes.nodes_per_kernel = session.nodes_on_kernel();
  MPI_Allreduce(MPI_IN_PLACE, &sizes.nodes_per_kernel, 1, MPI_INT, MPI_MAX, session.world());
  sizes.cores_per_node = (topology.cores + sizes.nodes_per_kernel - 1) / sizes.nodes_per_kernel;
  sizes.last_level_cache_bytes = topology.last_level_cache_bytes;
  sizes.on_host = device.is_host();
  sizes.ranks_per_node = session.ranks_on_node();
  MPI_Allreduce(MPI_IN_PLACE, &sizes.ranks_per_node, 1, MPI_INT, MPI_MAX, session.world());
  const auto ranks = static_cast<std::size_t>(session.ranks_on_kernel());
  sizes.memory_bytes = static_cast<double>(device.is_host() ? topology.memory_bytes / ranks
                                                            : device.memory_available());

  const std::size_t room = room_of_a_rank(session, device);
  const std::size_t messages = sizes.message_buffer_bytes();
  const int needed_edge = std::min(edge_needed, limits.largest_edge_f64);
  const std::size_t needed =
      messages + std::max(2 * field_bytes(needed_edge, 8), sizes.largest_message());
  agree_on_errors(session.world(), [&] {
    if (room < needed)
      throw BadEnvironment(fmt::format(
          "calibrate needs {} MiB of memory for each of the {} ranks on a machine and uses at most "
          "half of what is available: {} MiB per rank",
          needed / mebibyte + 1, ranks, room / mebibyte));
  });
  const std::size_t left = room - messages;
  sizes.edges_f32 = edges_within(limits.largest_edge_f32, 4, left);
  sizes.edges_f64 = edges_within(limits.largest_edge_f64, 8, left);
  while (3 * square_bytes(sizes.gemm_size) > left) sizes.gemm_size /= 2;
  unsigned long long same_everywhere = array_within(std::min(limits.largest_array_bytes, left / 3),
                                                    wanted_array_bytes(sizes, ranks));
  MPI_Allreduce(MPI_IN_PLACE, &same_everywhere, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN,
                session.world());
  sizes.array_bytes = same_everywhere;
  sizes.alone_array_bytes =
      device.is_host() ? plan_alone(session, sizes, room, limits) : sizes.array_bytes;
  sizes.airfoil_meshes = airfoil_meshes(limits, room);
  return sizes;
}

std::vector<std::string> array_warnings(const Sizes& sizes) {
  std::vector<std::string> warnings;
  const auto look = [&](int on_node, int ranks) {
    const std::size_t bytes = sizes.stream_array_bytes(on_node);
    const auto together = static_cast<std::size_t>(ranks) * bytes;
    if (bytes >= wanted_array_bytes(sizes, static_cast<std::size_t>(ranks))) return;
    warnings.push_back(fmt::format(
        "STREAM by {} rank{}: the arrays are of {} MiB{}, less than 4 x the last-level cache "
        "({} MiB): rates may be partly those of the cache",
        ranks, ranks == 1 ? " alone" : "s at once", together / mebibyte,
        ranks == 1 ? "" : " together", 4 * sizes.last_level_cache_bytes / mebibyte));
  };
  if (sizes.ranks_per_node > 1) look(1, 1);
  look(sizes.ranks_per_node, sizes.ranks_per_node * sizes.nodes_per_kernel);
  return warnings;
}

}  // namespace bellwether
