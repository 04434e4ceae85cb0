// SPDX-License-Identifier: MIT
#include "miniapps/mesh/loop_schedule.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace bellwether {
namespace {

constexpr int colours_a_pass = 64;  // one bit of a word each

/// Gives the elements that have no colour yet one of the 64 from `first_colour` on, if one is free;
/// returns whether all have one now.
bool colour_pass(const LocalMap& map, int first, std::vector<int>& colour_of, int first_colour,
                 std::vector<std::uint64_t>& taken) {
  std::fill(taken.begin(), taken.end(), 0);
  bool all = true;
  for (std::size_t e = 0; e < colour_of.size(); ++e) {
    if (colour_of[e] >= 0) continue;
    const int* const row = map.targets.data() + (first + e) * map.arity;
    std::uint64_t used = 0;
    for (int k = 0; k < map.arity; ++k) used |= taken[row[k]];
    const int free = std::countr_one(used);
    if (free == colours_a_pass) {
      all = false;
      continue;
    }
    colour_of[e] = first_colour + free;
    for (int k = 0; k < map.arity; ++k) taken[row[k]] |= std::uint64_t{1} << free;
  }
  return all;
}

}  // namespace

Colouring colour_elements(const LocalMap& map, int first, int end) {
  Colouring colouring;
  if (first == end) return colouring;
  const auto begin = map.targets.begin();
  const int targets = 1 + *std::max_element(begin + static_cast<std::ptrdiff_t>(first) * map.arity,
                                            begin + static_cast<std::ptrdiff_t>(end) * map.arity);
  std::vector<int> colour_of(end - first, -1);
  std::vector<std::uint64_t> taken(targets);
  for (int colour = 0; !colour_pass(map, first, colour_of, colour, taken);)
    colour += colours_a_pass;

  const int colours = 1 + *std::max_element(colour_of.begin(), colour_of.end());
  colouring.offsets.assign(colours + 1, 0);
  for (const int colour : colour_of) ++colouring.offsets[colour + 1];
  for (int colour = 0; colour < colours; ++colour)
    colouring.offsets[colour + 1] += colouring.offsets[colour];
  std::vector<int> next(colouring.offsets.begin(), colouring.offsets.end() - 1);
  colouring.elements.resize(colour_of.size());
  for (std::size_t e = 0; e < colour_of.size(); ++e)
    colouring.elements[next[colour_of[e]]++] = first + static_cast<int>(e);
  return colouring;
}

namespace {

/// Elements that a thread takes at a time: enough on a CPU that starting it does not count.
constexpr int block_of_cpu = 256, block_of_gpu = 1;
/// What is executed before halos arrive in so many pieces, of so many elements at least: a piece
/// of Airfoil's edges is some 100 us of a CPU's core, and as often MPI's protocols want to be
/// looked after.
constexpr int most_pieces = 8, least_of_piece = 8192;

/// Blocks of elements as elements of a map, which refer to all that theirs refer to.
LocalMap map_of_blocks(const LocalMap& map, int begin, int end, int elements_of_block) {
  LocalMap blocks;
  blocks.arity = map.arity * elements_of_block;
  for (int first = begin; first < end; first += elements_of_block)
    for (int n = 0; n < elements_of_block; ++n) {
      const int element = std::min(first + n, end - 1);  // the last block is filled up
      const auto row = map.targets.begin() + static_cast<std::ptrdiff_t>(element) * map.arity;
      blocks.targets.insert(blocks.targets.end(), row, row + map.arity);
    }
  return blocks;
}
/// Where piece n of so many elements begins.
int cut(int elements, int n, int pieces) {
  return static_cast<int>(static_cast<std::int64_t>(elements) * n / pieces);
}

}  // namespace

LoopSchedule::LoopSchedule(const LocalMesh& mesh, int set, LoopWorkers workers, bool in_colours)
    : workers_(workers),
      block_(workers == LoopWorkers::gpu ? block_of_gpu : block_of_cpu),
      owned_(mesh.sets[set].owned()),
      executed_(mesh.sets[set].executed()) {
  const auto map = std::find_if(mesh.maps.begin(), mesh.maps.end(), [set](const LocalMap& one) {
    return one.from == set && one.written;
  });
  if (!in_colours || map == mesh.maps.end()) return;
  const int core = mesh.sets[set].core, pieces = pieces_of(core);
  coloured_order_.reserve(executed_);
  for (int piece = 0; piece < pieces; ++piece)
    colour(*map, cut(core, piece, pieces), cut(core, piece + 1, pieces));
  colour(*map, core, owned_);
  colour(*map, owned_, executed_);
}

/// Appends the elements in coloured blocks.
void LoopSchedule::colour(const LocalMap& map, int begin, int end) {
  if (begin == end) return;
  const LocalMap blocks = map_of_blocks(map, begin, end, block_);
  const Colouring colouring =
      colour_elements(blocks, 0, static_cast<int>(blocks.targets.size() / blocks.arity));
  std::vector<std::int32_t> starts;
  for (int colour = 0; colour < colouring.colours(); ++colour) {
    starts.push_back(static_cast<std::int32_t>(coloured_order_.size()));
    for (int n = colouring.offsets[colour]; n < colouring.offsets[colour + 1]; ++n) {
      const int first = begin + colouring.elements[n] * block_;
      for (int element = first; element < std::min(end, first + block_); ++element)
        coloured_order_.push_back(element);
    }
  }
  colours_.push_back(std::move(starts));
  coloured_.push_back({{begin, end, colours_.back(), block_}, begin >= owned_});
}

std::vector<int> LoopSchedule::order() const {
  if (!coloured_order_.empty()) return coloured_order_;
  std::vector<int> order(executed_);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

LoopParts LoopSchedule::parts(const LoopPlan& plan) const {
  const int pieces = plan.blocks() ? pieces_of(plan.before_halos) : 1;
  return {between(0, plan.before_halos, pieces), between(plan.before_halos, plan.executed, 1)};
}

std::vector<LoopPart> LoopSchedule::between(int begin, int end, int pieces) const {
  std::vector<LoopPart> parts;
  if (!coloured_.empty()) {
    for (const LoopPart& part : coloured_)
      if (part.elements.begin >= begin && part.elements.end <= end) parts.push_back(part);
    return parts;
  }
  const auto add = [&](int first, int last, bool redundant) {
    if (first < last) parts.push_back({{first, last, {}, 1}, redundant});
  };
  const int own_end = std::clamp(owned_, begin, end);
  for (int piece = 0; piece < pieces; ++piece)
    add(begin + cut(own_end - begin, piece, pieces),
        begin + cut(own_end - begin, piece + 1, pieces), false);
  add(own_end, end, true);
  return parts;
}

int LoopSchedule::pieces_of(int elements) const {
  if (workers_ == LoopWorkers::gpu) return 1;
  return std::clamp(elements / least_of_piece, 1, most_pieces);
}

std::vector<int> done_with_targets(const LocalMap& map, int executed, int targets) {
  std::vector<int> done(executed + 1, targets);
  for (int element = executed - 1; element >= 0; --element) {
    const auto row = map.targets.begin() + static_cast<std::ptrdiff_t>(element) * map.arity;
    done[element] = std::min(done[element + 1], *std::min_element(row, row + map.arity));
  }
  return done;
}

std::vector<LoopSchedule> schedule_loops(const LocalMesh& mesh, LoopWorkers workers,
                                         bool in_colours) {
  std::vector<LoopSchedule> schedules;
  for (std::size_t set = 0; set < mesh.sets.size(); ++set)
    schedules.emplace_back(mesh, static_cast<int>(set), workers, in_colours);
  return schedules;
}

}  // namespace bellwether
