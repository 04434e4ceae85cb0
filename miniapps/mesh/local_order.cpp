// SPDX-License-Identifier: MIT
#include "miniapps/mesh/local_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "miniapps/mesh/number_of.hpp"

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

namespace {

using Keys = std::vector<std::uint64_t>;

std::vector<std::int64_t> owned_of(const SetParts& part) {
  std::vector<std::int64_t> owned = part.core;
  owned.insert(owned.end(), part.eeh.begin(), part.eeh.end());
  return owned;
}

/// The global indices, which keep the mesh's own order.
Keys given_keys(const std::vector<std::int64_t>& owned) { return {owned.begin(), owned.end()}; }

/// Own elements are neighbours that a row of the first map into the set brings together.
Keys cuthill_mckee_keys(const BlockMesh& mesh, const MeshParts& parts, int set,
                        const std::vector<std::int64_t>& owned) {
  std::vector<std::pair<int, int>> pairs;
  const NumberOf number(owned);
  for (std::size_t m = 0; m < mesh.maps.size() && pairs.empty(); ++m) {
    const int arity = mesh.maps[m].arity;
    if (mesh.maps[m].to != set || arity < 2) continue;
    for (std::size_t row = 0; row < parts.rows[m].size(); row += arity) {
      for (int k = 1; k < arity; ++k) {
        const int a = number(parts.rows[m][row + k - 1]), b = number(parts.rows[m][row + k]);
        if (a != NumberOf::absent && b != NumberOf::absent && a != b) pairs.emplace_back(a, b);
      }
    }
  }
  const std::vector<int> place =
      reverse_cuthill_mckee(graph_of_pairs(static_cast<int>(owned.size()), pairs));
  return {place.begin(), place.end()};
}

/// The two lowest of the numbers that an element's own targets have.
Keys keys_of_targets(const std::vector<std::int64_t>& rows, int arity, std::size_t owned,
                     const NumberOf& number) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint32_t>::max();
  Keys keys;
  for (std::size_t element = 0; element < owned; ++element) {
    std::uint64_t lowest = none, next = none;
    for (int k = 0; k < arity; ++k) {
      const int found = number(rows[element * arity + k]);
      if (found == NumberOf::absent) continue;
      const auto at = static_cast<std::uint64_t>(found);
      next = std::min(next, std::max(lowest, at));
      lowest = std::min(lowest, at);
    }
    keys.push_back(lowest << 32 | next);
  }
  return keys;
}

/// When each of `targets` is first referred to by the elements in `order`; after all those the
/// ones that are not.
Keys keys_of_first_use(const std::vector<std::int64_t>& rows, int arity,
                       const std::vector<int>& order, const std::vector<std::int64_t>& targets) {
  const NumberOf number(targets);
  Keys keys(targets.size(), std::numeric_limits<std::uint64_t>::max());
  std::uint64_t uses = 0;
  for (const int element : order) {
    for (int k = 0; k < arity; ++k, ++uses) {
      const int target = number(rows[static_cast<std::size_t>(element) * arity + k]);
      if (target != NumberOf::absent) keys[target] = std::min(keys[target], uses);
    }
  }
  return keys;
}

/// A set's own elements as they will be numbered.
std::vector<std::int64_t> numbered(const std::vector<std::int64_t>& owned,
                                   const std::vector<int>& order) {
  std::vector<std::int64_t> elements;
  for (const int at : order) elements.push_back(owned[at]);
  return elements;
}

}  // namespace

std::vector<int> sorted_by_class(const std::vector<std::uint64_t>& keys, std::size_t core) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int a, int b) { return keys[a] < keys[b]; };
  const auto eeh = order.begin() + static_cast<std::ptrdiff_t>(core);
  std::stable_sort(order.begin(), eeh, before);
  std::stable_sort(eeh, order.end(), before);
  return order;
}

std::vector<Keys> order_keys(const BlockMesh& mesh, const MeshParts& parts, int set) {
  std::vector<std::vector<std::int64_t>> owned;
  for (const SetParts& part : parts.sets) owned.push_back(owned_of(part));
  std::vector<std::optional<Keys>> keys(mesh.sets.size());
  keys[set] = cuthill_mckee_keys(mesh, parts, set, owned[set]);
  for (bool more = true; more;) {
    more = false;
    std::vector<bool> before;
    for (const auto& known : keys) before.push_back(known.has_value());
    for (std::size_t m = 0; m < mesh.maps.size(); ++m) {
      const BlockMap& map = mesh.maps[m];
      const auto order = [&](int known) {
        return sorted_by_class(*keys[known], parts.sets[known].core.size());
      };
      if (before[map.to] && !keys[map.from]) {
        const NumberOf number(numbered(owned[map.to], order(map.to)));
        keys[map.from] = keys_of_targets(parts.rows[m], map.arity, owned[map.from].size(), number);
        more = true;
      } else if (before[map.from] && !keys[map.to]) {
        keys[map.to] = keys_of_first_use(parts.rows[m], map.arity, order(map.from), owned[map.to]);
        more = true;
      }
    }
  }
  std::vector<Keys> all;
  for (std::size_t s = 0; s < keys.size(); ++s)
    all.push_back(keys[s] ? *std::move(keys[s]) : given_keys(owned[s]));
  return all;
}

}  // namespace bellwether
