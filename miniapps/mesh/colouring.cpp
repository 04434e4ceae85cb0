// SPDX-License-Identifier: MIT
#include "miniapps/mesh/colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

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

}  // namespace bellwether
