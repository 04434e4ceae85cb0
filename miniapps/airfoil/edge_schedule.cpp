// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/edge_schedule.hpp"

#include <algorithm>
#include <numeric>

#include "miniapps/mesh/colouring.hpp"

namespace bellwether {
namespace {

/// Edges that a thread takes at a time: enough that starting it does not count.
constexpr int edges_of_block = 256;
/// Core in so many pieces, of so many edges at least: a piece is some 100 us of a CPU's core, and
/// as often MPI's protocols want to be looked after.
constexpr int most_pieces = 8, least_of_piece = 8192;

/// Blocks as elements of a map, which refer to all that their edges refer to.
LocalMap map_of_blocks(const LocalMap& map, int begin, int end) {
  LocalMap blocks{map.name, map.from, map.to, map.arity * edges_of_block, true, {}};
  for (int first = begin; first < end; first += edges_of_block)
    for (int n = 0; n < edges_of_block; ++n) {
      const int edge = std::min(first + n, end - 1);  // the last block is filled up
      const auto row = map.targets.begin() + static_cast<std::ptrdiff_t>(edge) * map.arity;
      blocks.targets.insert(blocks.targets.end(), row, row + map.arity);
    }
  return blocks;
}

/// Appends the edges [begin, end) to the schedule, in coloured blocks.
EdgeRange add_coloured(const LocalMap& map, int begin, int end, EdgeSchedule& schedule) {
  const LocalMap blocks = map_of_blocks(map, begin, end);
  const Colouring colouring =
      colour_elements(blocks, 0, static_cast<int>(blocks.targets.size() / blocks.arity));
  std::vector<std::int32_t> starts;
  for (int colour = 0; colour < colouring.colours(); ++colour) {
    starts.push_back(static_cast<std::int32_t>(schedule.order.size()));
    for (int n = colouring.offsets[colour]; n < colouring.offsets[colour + 1]; ++n) {
      const int first = begin + colouring.elements[n] * edges_of_block;
      for (int edge = first; edge < std::min(end, first + edges_of_block); ++edge)
        schedule.order.push_back(edge);
    }
  }
  schedule.colours.push_back(std::move(starts));
  return {begin, end, schedule.colours.back(), edges_of_block};
}

EdgeRange add(const LocalMap& map, int begin, int end, EdgeWorkers workers,
              EdgeSchedule& schedule) {
  if (workers == EdgeWorkers::threads && begin < end)
    return add_coloured(map, begin, end, schedule);
  for (int edge = begin; edge < end; ++edge) schedule.order.push_back(edge);
  return {begin, end, {}, 1};
}

}  // namespace

EdgeSchedule schedule_edges(const LocalMesh& mesh, const LocalMap& map, EdgeWorkers workers) {
  const LocalSet& edges = mesh.sets[map.from];
  const int pieces =
      workers == EdgeWorkers::gpu ? 1 : std::clamp(edges.core / least_of_piece, 1, most_pieces);
  EdgeSchedule schedule;
  schedule.order.reserve(edges.executed());
  for (int piece = 0; piece < pieces; ++piece) {
    const auto cut = [&](int n) {
      return static_cast<int>(static_cast<std::int64_t>(edges.core) * n / pieces);
    };
    schedule.pieces.push_back(add(map, cut(piece), cut(piece + 1), workers, schedule));
  }
  schedule.rest = add(map, edges.core, edges.owned(), workers, schedule);
  schedule.redundant = add(map, edges.owned(), edges.executed(), workers, schedule);
  return schedule;
}

}  // namespace bellwether
