// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace bellwether {

constexpr std::size_t fewest_pairs = 3;  ///< of a node whose share in its links can be told

/// A pair that was measured, in one quantity.
struct MeasuredLink {
  std::array<std::size_t, 2> nodes;
  std::string name;
  std::vector<double> log_s;  ///< on each occasion
  double middle = 0;          ///< their median

  [[nodiscard]] std::size_t other_end(std::size_t node) const {
    return nodes[0] == node ? nodes[1] : nodes[0];
  }
};

using LinksOf = std::vector<const MeasuredLink*>;
using LinksOfNodes = std::vector<LinksOf>;

/// Takes from all links, and those within one leaf switch, their median. `leaf` of a node; empty:
/// not known.
void subtract_distance(std::vector<MeasuredLink>& links,
                       const std::function<std::string(std::size_t node)>& leaf);

/// By node.
LinksOfNodes links_of_nodes(const std::vector<MeasuredLink>& links, std::size_t nodes);

/// Each node's share of its links' logarithms, by sweeps of medians; 0 of those with few pairs.
std::vector<double> shares(const LinksOfNodes& of_node);

/// Of a link: both nodes' shares by their other links. By all of them the middle one has nothing
/// left, and the others stand out.
double explained_by_nodes(const LinksOfNodes& of_node, const MeasuredLink& link,
                          const std::vector<double>& share);

/// Standard deviation of what the nodes leave of normal links, in that which a normal
/// distribution of the same median absolute deviation has: a fit by medians leaves many nearly
/// nothing. By simulation, of these links.
double spread_of_rest(std::vector<MeasuredLink> links, std::size_t nodes);

/// On each occasion the median of a node's links, less what the other ends explain.
std::vector<double> without_others(const LinksOf& links, std::size_t node,
                                   const std::vector<double>& share);

}  // namespace bellwether
