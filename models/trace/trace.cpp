// SPDX-License-Identifier: MIT
#include "models/trace/trace.hpp"

namespace bellwether {

PredictionRequest request_of_trace(int ranks, bool overlap, int ranks_per_node) {
  PredictionRequest request;
  request.ranks = {ranks};
  request.overlap = {overlap};
  request.forms = {"refined"};
  request.ranks_per_node = ranks_per_node;
  return request;
}

TreePlace tree_place(int members, int root, int place) {
  const int distance = (place - root + members) % members;
  const auto at = [=](int far) { return (root + far) % members; };
  TreePlace tree;
  int reach = 1;  // of the subtree below: the lowest bit of the distance
  while (reach < members && (distance & reach) == 0) reach *= 2;
  if (distance > 0) tree.parent = at(distance - reach);
  for (int step = reach / 2; step > 0; step /= 2)
    if (distance + step < members) tree.children.push_back(at(distance + step));
  return tree;
}

}  // namespace bellwether
