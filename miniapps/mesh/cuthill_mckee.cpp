// SPDX-License-Identifier: MIT
#include "miniapps/mesh/cuthill_mckee.hpp"

#include <algorithm>
#include <utility>

namespace bellwether {
namespace {

/// Breadth first from `start` over what is not `seen`; returns the vertices in that order.
std::vector<int> breadth_first(const LocalGraph& graph, int start, std::vector<bool>& seen) {
  std::vector<int> order{start};
  seen[start] = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const int vertex = order[next];
    const auto first_new = static_cast<std::ptrdiff_t>(order.size());
    for (std::int64_t at = graph.offsets[vertex]; at < graph.offsets[vertex + 1]; ++at) {
      const int neighbour = graph.neighbours[at];
      if (seen[neighbour]) continue;
      seen[neighbour] = true;
      order.push_back(neighbour);
    }
    std::stable_sort(order.begin() + first_new, order.end(),
                     [&](int a, int b) { return graph.degree(a) < graph.degree(b); });
  }
  return order;
}

}  // namespace

LocalGraph graph_of_pairs(int vertices, const std::vector<std::pair<int, int>>& pairs) {
  LocalGraph graph;
  graph.offsets.assign(vertices + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++graph.offsets[a + 1];
    ++graph.offsets[b + 1];
  }
  for (int vertex = 0; vertex < vertices; ++vertex)
    graph.offsets[vertex + 1] += graph.offsets[vertex];
  graph.neighbours.resize(graph.offsets[vertices]);
  std::vector<std::int64_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (const auto& [a, b] : pairs) {
    graph.neighbours[next[a]++] = b;
    graph.neighbours[next[b]++] = a;
  }
  return graph;
}

std::vector<int> reverse_cuthill_mckee(const LocalGraph& graph) {
  std::vector<int> order;
  std::vector<bool> reached(graph.vertices()), placed(graph.vertices());
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (reached[vertex]) continue;
    // The last that a search finds is at the rim of the component.
    const int rim = breadth_first(graph, vertex, reached).back();
    const std::vector<int> component = breadth_first(graph, rim, placed);
    order.insert(order.end(), component.begin(), component.end());
  }
  std::vector<int> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at)
    place[order[at]] = static_cast<int>(order.size() - 1 - at);
  return place;
}

}  // namespace bellwether
