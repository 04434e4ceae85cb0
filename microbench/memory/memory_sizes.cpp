// SPDX-License-Identifier: MIT
#include "microbench/memory/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/launch/grid.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t page = 4096;
constexpr std::array copied_edges = {16, 32, 64, 128, 256, 400, 512};
constexpr std::array in_place_edges = {16, 32, 64, 128, 256, 504, 640};
constexpr int edge_needed = 128;  // a curve that ends within the caches is of no use

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

int largest_copied(const CalibrationLimits& limits) {
  const int own = limits.quick ? 400 : 512;
  return limits.largest_edge > 0 ? std::min(own, limits.largest_edge) : own;
}

std::size_t largest_array(const CalibrationLimits& limits, std::size_t room) {
  const std::size_t own = (limits.quick ? 512 : 2048) * mebibyte;
  return std::min({own, room / 3, limits.most_case_bytes / 3});
}

/// Four times the last-level cache over `ranks` arrays at once; 0 where the device's caches are not
/// known.
std::size_t wanted_array_bytes(const MemorySizes& sizes, std::size_t ranks) {
  return round_up(4 * sizes.last_level_cache_bytes / ranks, page);
}

/// At most `largest` bytes, and no more than wanted; 0: as much as there may be.
std::size_t array_within(std::size_t largest, std::size_t wanted) {
  if (wanted > 0) largest = std::min(largest, std::max(wanted, mebibyte));
  return largest / page * page;
}

/// Of one rank alone: rank 0 may use half of its kernel's memory less what the others there use.
std::size_t plan_alone(const Bench& bench, const MemorySizes& sizes) {
  const auto ranks = static_cast<std::size_t>(bench.session().ranks_on_kernel());
  const std::size_t left = bench.room() * ranks - (ranks - 1) * bench.arena_bytes();
  return from_first_rank(
      bench.session().world(),
      std::max(sizes.array_bytes,
               array_within(largest_array(bench.limits(), left), wanted_array_bytes(sizes, 1))));
}

}  // namespace

std::size_t field_bytes(int edge, std::size_t element_bytes) {
  const GridLayout layout({edge, edge, edge}, element_bytes);
  const std::size_t bytes = layout.elements() * element_bytes;
  return round_up(bytes, bytes >= 2 * mebibyte ? 2 * mebibyte : page);
}

std::size_t MemorySizes::arena_bytes() const {
  return std::max(2 * field_bytes(edges.copied.back(), sizeof(double)), 3 * array_bytes);
}

std::size_t MemorySizes::stream_array_bytes(int ranks) const {
  if (ranks == ranks_per_node) return array_bytes;
  return ranks == 1 ? alone_array_bytes : arena_bytes() / 3 / page * page;
}

MemorySizes cubes_within(const CalibrationLimits& limits, std::size_t room) {
  room = std::min(room, limits.most_case_bytes);
  MemorySizes sizes;
  for (const int edge : copied_edges)
    if (edge <= largest_copied(limits) && 2 * field_bytes(edge, sizeof(double)) <= room)
      sizes.edges.copied.push_back(edge);
  const std::size_t values = sizes.arena_bytes() / sizeof(double);
  for (const int edge : in_place_edges)
    if ((limits.largest_edge == 0 || edge <= limits.largest_edge) &&
        static_cast<std::size_t>(edge) * edge * edge <= values)
      sizes.edges.in_place.push_back(edge);
  return sizes;
}

MemorySizes plan_memory_sizes(Bench& bench) {
  const Session& session = bench.session();
  const CalibrationLimits& limits = bench.limits();
  bench.reserve_arena(std::min(2 * field_bytes(std::min(edge_needed, largest_copied(limits)), 8),
                               limits.most_case_bytes));
  MemorySizes sizes = cubes_within(limits, bench.room());
  sizes.ranks_per_node = bench.ranks_per_node();
  sizes.ranks_per_device = bench.ranks_per_device();
  sizes.last_level_cache_bytes = bench.last_level_cache_bytes();
  const auto ranks = static_cast<std::size_t>(session.ranks_on_kernel());
  const std::size_t wanted = bench.device().is_host() ? wanted_array_bytes(sizes, ranks) : 0;
  sizes.array_bytes =
      least(session.world(), array_within(largest_array(limits, bench.room()), wanted));
  bench.reserve_arena(sizes.arena_bytes());
  sizes.alone_array_bytes = bench.device().is_host() ? plan_alone(bench, sizes) : sizes.array_bytes;
  bench.reserve_arena_of_rank_0(3 * sizes.alone_array_bytes);
  return sizes;
}

std::vector<std::string> array_warnings(const MemorySizes& sizes) {
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
  if (sizes.ranks_per_node > 1 && sizes.ranks_per_device > 1) look(1, 1);
  look(sizes.ranks_per_node, sizes.ranks_per_device);
  return warnings;
}

}  // namespace bellwether
