// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/acceptance/finding.hpp"

namespace bellwether {

/// One occasion on which the ranks were measured side by side, a line of siblings.jsonl, schema
/// bellwether.siblings/1: "hosts" and "nodes" of each rank; "ranks": by quantity each rank's
/// seconds for the same work; "links" between "members" (the lowest rank of each node, or with one
/// node every rank): "pairs" of [member, member, seconds of the smallest message, of one of
/// "bytes"]; "shared_cores": whether ranks were measured in turns; "clocks": "steady_s" and
/// "system_s" of each rank, read within "barrier_s" of one another.
inline constexpr const char* siblings_schema = "bellwether.siblings/1";

/// A torn last line is passed over; none for a file that is not there. Throws BadInput naming file
/// and line for any other that is no occasion, or of another number of ranks than the first.
std::vector<nlohmann::json> read_siblings(const std::string& file);

/// What an occasion's ranks and nodes are called, and which node each rank is on.
class RankNodes {
 public:
  explicit RankNodes(const nlohmann::json& occasion);

  [[nodiscard]] std::size_t ranks() const { return nodes_.size(); }
  [[nodiscard]] std::size_t nodes() const { return ranks_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& ranks_of(std::size_t node) const {
    return ranks_[node];
  }
  [[nodiscard]] int node_of(std::size_t rank) const { return nodes_[rank]; }
  [[nodiscard]] std::string node_name(std::size_t node) const {
    return hosts_[ranks_[node].front()];
  }
  [[nodiscard]] std::string rank_name(std::size_t rank) const;
  /// Nodes whose ranks can be told apart by themselves: three and more on each of several.
  [[nodiscard]] bool has_full_nodes() const;

 private:
  std::vector<int> nodes_;
  std::vector<std::string> hosts_;
  std::vector<std::vector<std::size_t>> ranks_;
};

/// By how much the work of the ranks' slowest tenth of occasions took longer than that of the
/// quickest: the median over ranks, of the quantity where that is largest.
struct Unsteadiness {
  double share = 0;
  std::string quantity;
  std::size_t occasions = 0;
};
/// Absent of fewer than ten occasions, where ranks share cores, and where nothing took longer.
std::optional<Unsteadiness> unsteadiness(const std::vector<nlohmann::json>& occasions);

/// Of a rank whose clock runs at another rate, or tells another time, than the middle one's.
std::vector<Finding> judge_clocks(const std::vector<nlohmann::json>& occasions,
                                  const RankNodes& layout);

}  // namespace bellwether
