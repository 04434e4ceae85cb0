// SPDX-License-Identifier: MIT
#include "models/network/trees.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// A binomial tree, or rings that begin at the given distances from the root, in this order, and
/// end before the next one's or after the last process.
struct Shape {
  bool is_tree = false;
  bool is_nearest_first = false;
  int processes = 1;
  int first = 1;   ///< 2: the process before it is the root's neighbour alone
  int second = 0;  ///< 0: no second ring; as many in the first one as in it, or one more
};

Shape find_shape(const std::string& name, int processes) {
  if (name == nearest_first)
    return {.is_tree = true, .is_nearest_first = true, .processes = processes};
  if (name == "tree") return {.is_tree = true, .processes = processes};
  if (name == "ring" || name == "pipeline") return {.processes = processes};
  if (name == "ring-modified") return {.processes = processes, .first = 2};
  for (const int first : {1, 2})
    if (name == (first == 1 ? "two-rings" : "two-rings-modified"))
      return {
          .processes = processes, .first = first, .second = first + (processes - first + 1) / 2};
  throw BadInput(fmt::format("--bcast: found \"{}\", expected one of {}", name,
                             fmt::join(broadcast_names(), ", ")));
}

/// Of the process so far after the root, also by its distance; -1: of the root.
int parent_of(const Shape& shape, int distance) {
  if (distance == 0) return -1;
  if (!shape.is_tree) return distance <= shape.first || distance == shape.second ? 0 : distance - 1;
  // The nearer half of each subtree's processes are the root's, the farther half its last child's.
  if (shape.is_nearest_first) return distance & (distance - 1);
  // After j rounds the first 2^j processes have it, and each sends it 2^j further.
  return distance - static_cast<int>(std::bit_floor(static_cast<unsigned>(distance)));
}

std::vector<int> children_of(const Shape& shape, int distance) {
  std::vector<int> children;
  const auto add = [&](int child) {
    if (child < shape.processes && parent_of(shape, child) == distance) children.push_back(child);
  };
  if (shape.is_tree) {
    int reach = 1;
    while (!shape.is_nearest_first && reach <= distance) reach *= 2;
    for (; distance + reach < shape.processes; reach *= 2) {
      if (shape.is_nearest_first && (distance & reach) != 0) break;
      children.push_back(distance + reach);
    }
  } else if (distance == 0) {
    for (int child = 1; child <= shape.first; ++child) add(child);
    if (shape.second > 0) add(shape.second);
  } else {
    add(distance + 1);
  }
  return children;
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
  const Shape shape = find_shape(name, processes);
  const int distance = (process - root + processes) % processes;
  const auto at = [=](int from_root) { return (root + from_root) % processes; };
  BroadcastTree tree;
  if (distance > 0) tree.parent = at(parent_of(shape, distance));
  for (const int child : children_of(shape, distance)) tree.children.push_back(at(child));
  if (name == "pipeline" && processes > 2) tree.segments = pipeline_segments(bytes);
  return tree;
}

std::vector<int> broadcast_parents(const std::string& name, int processes) {
  const Shape shape = find_shape(name, processes);
  std::vector<int> parents;
  parents.reserve(static_cast<std::size_t>(processes));
  for (int distance = 0; distance < processes; ++distance)
    parents.push_back(parent_of(shape, distance));
  return parents;
}

std::vector<int> broadcast_rounds(const std::string& name, int processes) {
  std::vector<int> rounds, sent(static_cast<std::size_t>(processes));
  for (const int parent : broadcast_parents(name, processes)) {
    const auto from = static_cast<std::size_t>(parent);
    rounds.push_back(parent < 0 ? 0 : rounds[from] + ++sent[from]);
  }
  return rounds;
}

}  // namespace bellwether
