// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/acceptance/finding.hpp"

namespace bellwether {

/// One occasion on which the ranks were measured side by side, a line of siblings.jsonl, schema
/// bellwether.siblings/1.
struct SiblingOccasion {
  /// Of each rank, read within `barrier_s` of one another.
  struct Clocks {
    std::vector<double> steady_s, system_s;
    double barrier_s = 0;
  };
  /// Seconds of the smallest message between two members, and of one of `bytes`.
  struct Link {
    std::array<int, 2> members;
    std::array<double, 2> seconds;
  };
  struct Links {
    std::string members;  ///< "nodes", the lowest rank of each; with one node "ranks", every one
    int bytes = 0;
    std::vector<Link> pairs;
  };
  std::string time;
  std::vector<std::string> hosts;                      ///< of each rank
  std::vector<int> nodes;                              ///< of each rank
  std::map<std::string, std::vector<double>> seconds;  ///< by quantity, of each rank for one work
  Clocks clocks;
  bool shared_cores = false;  ///< ranks were measured in turns
  std::optional<Links> links;
};
nlohmann::json to_json(const SiblingOccasion& occasion);

/// A torn last line is passed over; none for a file that is not there. Throws BadInput naming file
/// and line for any other that is no occasion, or of another number of ranks than the first.
std::vector<SiblingOccasion> read_siblings(const std::string& file);

/// What an occasion's ranks and nodes are called, and which node each rank is on.
class RankNodes {
 public:
  explicit RankNodes(const SiblingOccasion& occasion);

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
std::optional<Unsteadiness> unsteadiness(const std::vector<SiblingOccasion>& occasions);

/// Of a rank whose clock runs at another rate, or tells another time, than the middle one's.
std::vector<Finding> judge_clocks(const std::vector<SiblingOccasion>& occasions,
                                  const RankNodes& layout);

}  // namespace bellwether
