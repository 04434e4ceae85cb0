// SPDX-License-Identifier: MIT
#include "models/hpl/broadcast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Parent and children of the process `distance` after the root, also by their distance.
struct Place {
  int parent = -1;
  std::vector<int> children;
};

/// Rings that begin at the given distances, in this order, and end before the next one's or after
/// the last process. `modified`: the first one is the root's neighbour alone.
Place in_rings(int processes, int distance, bool two, bool modified) {
  const int first = modified ? 2 : 1;
  // As many in the first ring as in the second, or one more.
  const int second = first + (processes - first + 1) / 2;
  Place place;
  if (distance == 0) {
    if (modified && processes > 1) place.children.push_back(1);
    if (first < processes) place.children.push_back(first);
    if (two && second < processes) place.children.push_back(second);
    return place;
  }
  const bool begins = distance <= first || (two && distance == second);
  place.parent = begins ? 0 : distance - 1;
  const bool ends =
      distance + 1 == processes || (modified && distance == 1) || (two && distance + 1 == second);
  if (!ends) place.children.push_back(distance + 1);
  return place;
}

/// After j rounds the first 2^j processes have it, and each sends it 2^j further.
Place in_tree(int processes, int distance) {
  Place place;
  int reach = 1;
  for (; reach <= distance; reach *= 2) place.parent = distance - reach;
  for (; distance + reach < processes; reach *= 2) place.children.push_back(distance + reach);
  return place;
}

Place find_place(const std::string& name, int processes, int distance) {
  if (name == "ring" || name == "pipeline") return in_rings(processes, distance, false, false);
  if (name == "ring-modified") return in_rings(processes, distance, false, true);
  if (name == "two-rings") return in_rings(processes, distance, true, false);
  if (name == "two-rings-modified") return in_rings(processes, distance, true, true);
  if (name == "tree") return in_tree(processes, distance);
  throw BadInput(fmt::format("--bcast: found \"{}\", expected one of {}", name,
                             fmt::join(broadcast_names(), ", ")));
}

}  // namespace

std::vector<std::string> broadcast_names() {
  return {"ring", "ring-modified", "two-rings", "two-rings-modified", "tree", "pipeline"};
}

int pipeline_segments(double bytes) {
  return static_cast<int>(std::clamp(std::sqrt(bytes / 65536), 1., 64.));
}

BroadcastTree broadcast_tree(const std::string& name, int processes, int root, int process,
                             double bytes) {
  const Place place = find_place(name, processes, (process - root + processes) % processes);
  const auto at = [=](int distance) { return (root + distance) % processes; };
  BroadcastTree tree;
  if (place.parent >= 0) tree.parent = at(place.parent);
  for (const int child : place.children) tree.children.push_back(at(child));
  if (name == "pipeline" && processes > 2) tree.segments = pipeline_segments(bytes);
  return tree;
}

}  // namespace bellwether
