// SPDX-License-Identifier: MIT
#include "models/stencil/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <tuple>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr const char* direction_names = "xyz";

/// Cells of part `index` of `cells` over `parts`: the first cells mod parts have one more.
int part_cells(int cells, int parts, int index) {
  return cells / parts + (index < cells % parts ? 1 : 0);
}

/// Ascending; none of what is not positive.
std::vector<int> divisors(int number) {
  std::vector<int> small;
  std::vector<int> large;
  for (int divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor != 0) continue;
    small.push_back(divisor);
    if (divisor != number / divisor) large.push_back(number / divisor);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// The one of least_surface. The busiest rank is a largest one with neighbours on both sides of
/// every split direction.
auto least_of(std::vector<std::array<int, 3>>& all, const std::array<int, 3>& cells) {
  const auto surface = [&cells](const std::array<int, 3>& parts) {
    std::array<std::int64_t, 3> local{};
    for (int direction = 0; direction < 3; ++direction)
      local[direction] = part_cells(cells[direction], parts[direction], 0);
    std::int64_t sum = 0;
    for (int direction = 0; direction < 3; ++direction) {
      if (parts[direction] > 1) sum += 2 * local[(direction + 1) % 3] * local[(direction + 2) % 3];
    }
    return sum;
  };
  return std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return std::tuple(surface(a), a[0], a[1]) < std::tuple(surface(b), b[0], b[1]);
  });
}

}  // namespace

Decomposition::Decomposition(std::array<int, 3> cells, std::array<int, 3> ranks, bool periodic)
    : cells_(cells), ranks_(ranks), periodic_(periodic) {
  std::int64_t product = 1;
  for (int direction = 0; direction < 3; ++direction) {
    const char name = direction_names[direction];
    const int count = ranks[direction];
    if (cells[direction] <= 0)
      throw BadInput(
          fmt::format("cells in {}: found {}, expected a positive count", name, cells[direction]));
    if (count <= 0)
      throw BadInput(fmt::format("ranks in {}: found {}, expected a positive count", name, count));
    if (count > cells[direction])
      throw BadInput(fmt::format(
          "decomposition {}x{}x{}: {} ranks in {} for {} cells, expected at most one rank per cell",
          ranks[0], ranks[1], ranks[2], count, name, cells[direction]));
    product *= count;
    if (product > std::numeric_limits<int>::max())
      throw BadInput(fmt::format("decomposition {}x{}x{}: expected at most {} ranks", ranks[0],
                                 ranks[1], ranks[2], std::numeric_limits<int>::max()));
  }
}

std::array<int, 3> Decomposition::coordinates(int rank) const {
  return {rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]};
}

int Decomposition::rank_at(std::array<int, 3> coordinates) const {
  return coordinates[0] + ranks_[0] * (coordinates[1] + ranks_[1] * coordinates[2]);
}

std::array<int, 3> Decomposition::offset(int rank) const {
  std::array<int, 3> first = coordinates(rank);
  for (int direction = 0; direction < 3; ++direction) {
    const int index = first[direction];
    first[direction] = index * (cells_[direction] / ranks_[direction]) +
                       std::min(index, cells_[direction] % ranks_[direction]);
  }
  return first;
}

std::array<int, 3> Decomposition::local_cells(int rank) const {
  std::array<int, 3> local = coordinates(rank);
  for (int direction = 0; direction < 3; ++direction)
    local[direction] = part_cells(cells_[direction], ranks_[direction], local[direction]);
  return local;
}

int Decomposition::neighbour(int rank, int direction, int side) const {
  const int count = ranks_[direction];
  if (count == 1) return -1;
  std::array<int, 3> there = coordinates(rank);
  const int index = there[direction] + (side == 0 ? -1 : 1);
  if (!periodic_ && (index < 0 || index >= count)) return -1;
  there[direction] = (index + count) % count;
  return rank_at(there);
}

long Decomposition::face_cells(int rank, int direction) const {
  const std::array<int, 3> local = local_cells(rank);
  return static_cast<long>(local[(direction + 1) % 3]) * local[(direction + 2) % 3];
}

std::string Decomposition::name() const {
  return fmt::format("{}x{}x{}", ranks_[0], ranks_[1], ranks_[2]);
}

std::vector<std::array<int, 3>> factorizations(int ranks, std::array<int, 3> cells) {
  std::vector<std::array<int, 3>> found;
  const std::vector<int> all = divisors(ranks);
  for (const int x : all) {
    if (x > cells[0]) break;
    const int rest = ranks / x;
    for (const int y : all) {
      if (y > std::min(rest, cells[1])) break;
      if (rest % y == 0 && rest / y <= cells[2]) found.push_back({x, y, rest / y});
    }
  }
  return found;
}

std::vector<std::array<int, 3>> candidates(int ranks, std::array<int, 3> cells) {
  std::vector<std::array<int, 3>> all = factorizations(ranks, cells);
  if (all.empty()) return all;
  // The others keep their order.
  std::rotate(all.begin(), least_of(all, cells), std::next(least_of(all, cells)));
  return all;
}

std::array<int, 3> least_surface(int ranks, std::array<int, 3> cells) {
  std::vector<std::array<int, 3>> all = factorizations(ranks, cells);
  if (all.empty())
    throw BadInput(fmt::format(
        "decomposition: {} ranks cannot divide {}x{}x{} cells with at least one cell per rank",
        ranks, cells[0], cells[1], cells[2]));
  return *least_of(all, cells);
}

std::array<long long, 3> cells_of_all(const std::array<long long, 3>& cells_of_a_rank, int ranks) {
  const std::vector<std::array<int, 3>> all = factorizations(ranks, {ranks, ranks, ranks});
  const auto parts = *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tuple(a[0] + a[1] + a[2], a[0], a[1]) < std::tuple(b[0] + b[1] + b[2], b[0], b[1]);
  });
  std::array<long long, 3> cells = cells_of_a_rank;
  for (int d = 0; d < 3; ++d) cells[d] *= parts[d];
  return cells;
}

std::array<int, 3> parse_ranks(const std::string& text) {
  if (text == "auto") return {0, 0, 0};
  std::array<int, 3> ranks{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (int direction = 0; direction < 3 && good; ++direction) {
    if (direction > 0) good = at != end && *at++ == 'x';
    const auto [next, error] = std::from_chars(at, end, ranks[direction]);
    good = good && error == std::errc() && ranks[direction] > 0;
    at = next;
  }
  if (!good || at != end)
    throw BadInput(fmt::format(
        "decomposition: found \"{}\", expected \"auto\" or PXxPYxPZ, for example 1x2x4", text));
  return ranks;
}

}  // namespace bellwether
