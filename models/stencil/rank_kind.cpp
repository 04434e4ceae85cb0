// SPDX-License-Identifier: MIT
#include "models/stencil/rank_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cstdint>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Places on a node (rank mod ranks per node) that are taken by some rank of a group.
using Places = std::vector<unsigned char>;

/// Coordinates of a direction of one extent and with neighbours in the same directions.
struct Group {
  int first;
  int count;
  bool larger;
  bool low_end;
  bool high_end;
};

/// At most four: both ends, and between them the larger and the smaller parts.
std::vector<Group> groups_of(int cells, int parts) {
  const int larger = cells % parts;
  if (parts == 1) return {{0, 1, false, true, true}};
  std::vector<Group> groups{{0, 1, larger > 0, true, false}};
  const int last = parts - 1;
  const int change = std::clamp(larger, 1, last);
  if (change > 1) groups.push_back({1, change - 1, true, false, false});
  if (last > change) groups.push_back({change, last - change, false, false, false});
  groups.push_back({last, 1, false, false, true});
  return groups;
}

/// Which places are reached from others; holds the memory that this takes.
class Reach {
 public:
  explicit Reach(std::size_t places) : moved_(places) {}

  /// `to`: the places `group.first`, ..., `group.first + group.count - 1` strides from those of
  /// `from`, by doubling the number of strides covered. More strides than places reach nothing new.
  void operator()(const Places& from, const Group& group, std::int64_t stride, Places& to) {
    rotate(from, group.first * stride, to);
    const int count = std::min(group.count, static_cast<int>(from.size()));
    for (int covered = 1; covered < count;) {
      const int step = std::min(covered, count - covered);
      rotate(to, step * stride, moved_);
      for (std::size_t place = 0; place < to.size(); ++place) to[place] |= moved_[place];
      covered += step;
    }
  }

 private:
  static void rotate(const Places& from, std::int64_t by, Places& to) {
    const auto size = static_cast<std::int64_t>(from.size());
    std::rotate_copy(from.begin(), from.begin() + (size - by % size) % size, from.end(),
                     to.begin());
  }

  Places moved_;
};

/// Who is across both faces of a direction for ranks of a group at a place of their node.
struct Side {
  std::int64_t stride;
  int parts;
  bool periodic;
  bool one_node;
  std::int64_t per_node;

  [[nodiscard]] Across below(std::int64_t place, std::int64_t distance) const {
    return one_node || place >= distance ? Across::same_node : Across::other_node;
  }
  [[nodiscard]] Across above(std::int64_t place, std::int64_t distance) const {
    return one_node || place + distance < per_node ? Across::same_node : Across::other_node;
  }
  [[nodiscard]] Across low(const Group& group, std::int64_t place) const {
    if (parts == 1 || (group.low_end && !periodic)) return Across::nobody;
    return group.low_end ? above(place, (parts - 1) * stride) : below(place, stride);
  }
  [[nodiscard]] Across high(const Group& group, std::int64_t place) const {
    if (parts == 1 || (group.high_end && !periodic)) return Across::nobody;
    return group.high_end ? below(place, (parts - 1) * stride) : above(place, stride);
  }
};

/// Kinds found so far; a kind is five bits a direction.
class KindSet {
 public:
  explicit KindSet(const Decomposition& decomposition) : decomposition_(decomposition) {}

  void add(const std::array<const Group*, 3>& groups, const std::array<Across, 6>& across) {
    unsigned code = 0;
    for (int direction = 0; direction < 3; ++direction)
      code = code << 5 | static_cast<unsigned>(groups[direction]->larger) << 4 |
             static_cast<unsigned>(across[2 * direction]) << 2 |
             static_cast<unsigned>(across[2 * direction + 1]);
    if (seen_[code]) return;
    seen_[code] = true;
    RankKind kind{{}, across};
    for (int direction = 0; direction < 3; ++direction)
      kind.cells[direction] =
          decomposition_.cells()[direction] / decomposition_.ranks()[direction] +
          (groups[direction]->larger ? 1 : 0);
    kinds_.push_back(kind);
  }
  [[nodiscard]] std::vector<RankKind> take() { return std::move(kinds_); }

 private:
  const Decomposition& decomposition_;
  std::bitset<1 << 15> seen_;
  std::vector<RankKind> kinds_;
};

}  // namespace

int ranks_on_node(const Decomposition& decomposition, const RankPlacement& placement) {
  return std::min(placement.ranks_per_node, decomposition.size());
}

RankKind rank_kind(const Decomposition& decomposition, const RankPlacement& placement,
                   std::array<int, 3> coordinates) {
  const int rank = decomposition.rank_at(coordinates);
  const int node = rank / placement.ranks_per_node;
  RankKind kind;
  int stride = 1;
  for (int direction = 0; direction < 3; ++direction) {
    const int parts = decomposition.ranks()[direction];
    const int at = coordinates[direction];
    const int cells = decomposition.cells()[direction];
    kind.cells[direction] = cells / parts + (at < cells % parts ? 1 : 0);
    const auto across = [&](bool wraps, int neighbour) {
      if (parts == 1 || (wraps && !decomposition.periodic())) return Across::nobody;
      return neighbour / placement.ranks_per_node == node ? Across::same_node : Across::other_node;
    };
    const int around = (parts - 1) * stride;
    const bool low_end = at == 0;
    const bool high_end = at == parts - 1;
    kind.across[2 * direction] = across(low_end, low_end ? rank + around : rank - stride);
    kind.across[2 * direction + 1] = across(high_end, high_end ? rank - around : rank + stride);
    stride *= parts;
  }
  return kind;
}

std::vector<RankKind> rank_kinds(const Decomposition& decomposition,
                                 const RankPlacement& placement) {
  if (placement.ranks_per_node < 1)
    throw BadInput(fmt::format("ranks per node: found {}, expected a positive count",
                               placement.ranks_per_node));
  const bool one_node = placement.ranks_per_node >= decomposition.size();
  const int per_node = one_node ? 1 : placement.ranks_per_node;
  std::array<std::vector<Group>, 3> groups;
  std::array<Side, 3> sides{};
  std::int64_t stride = 1;
  for (int direction = 0; direction < 3; ++direction) {
    const int parts = decomposition.ranks()[direction];
    groups[direction] = groups_of(decomposition.cells()[direction], parts);
    sides[direction] = {stride, parts, decomposition.periodic(), one_node, per_node};
    stride *= parts;
  }
  // On which side of a node's edge a neighbour stands changes only at these places.
  std::vector<int> changes{0};
  for (const Side& side : sides)
    for (const std::int64_t distance : {side.stride, (side.parts - 1) * side.stride})
      if (distance > 0 && distance < per_node) {
        changes.push_back(static_cast<int>(distance));
        changes.push_back(static_cast<int>(per_node - distance));
      }
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  changes.push_back(per_node);

  KindSet kinds(decomposition);
  Places origin(static_cast<std::size_t>(per_node), 0);
  origin[0] = 1;
  Places at_z(origin.size());
  Places at_y(origin.size());
  Places places(origin.size());
  Reach reach(origin.size());
  for (const Group& z : groups[2]) {
    reach(origin, z, sides[2].stride, at_z);
    for (const Group& y : groups[1]) {
      reach(at_z, y, sides[1].stride, at_y);
      for (const Group& x : groups[0]) {
        reach(at_y, x, sides[0].stride, places);
        const std::array<const Group*, 3> here{&x, &y, &z};
        for (std::size_t range = 0; range + 1 < changes.size(); ++range) {
          const auto end = places.begin() + changes[range + 1];
          if (std::find(places.begin() + changes[range], end, 1) == end) continue;
          std::array<Across, 6> across{};
          for (int direction = 0; direction < 3; ++direction) {
            across[2 * direction] = sides[direction].low(*here[direction], changes[range]);
            across[2 * direction + 1] = sides[direction].high(*here[direction], changes[range]);
          }
          kinds.add(here, across);
        }
      }
    }
  }
  return kinds.take();
}

std::vector<RankKind> rank_kinds(const Decomposition& decomposition, const RankPlacement& placement,
                                 const std::vector<SolidWork>& solids) {
  if (solids.empty() || placement.ranks_per_node < 1) return rank_kinds(decomposition, placement);
  std::vector<RankKind> kinds;
  for (std::size_t rank = 0; rank < solids.size(); ++rank) {
    kinds.push_back(
        rank_kind(decomposition, placement, decomposition.coordinates(static_cast<int>(rank))));
    kinds.back().solid = solids[rank];
  }
  return kinds;
}

}  // namespace bellwether
