// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "miniapps/mesh/parcels.hpp"
#include "miniapps/mesh/partition.hpp"

namespace bellwether {
namespace {

using Counts = std::vector<std::int64_t>;

/// Points that will go to the ranks from first_rank on.
struct Group {
  int first_rank;
  int ranks;
};

/// The order of finite doubles as that of unsigned integers.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

class Bisection {
 public:
  Bisection(MPI_Comm comm, const std::vector<double>& positions)
      : comm_(comm), positions_(positions), group_of_(positions.size() / 2) {
    groups_.push_back({0, ranks_in(comm)});
  }

  std::vector<int> run() {
    while (std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.ranks > 1; }))
      bisect();
    std::vector<int> owners;
    for (const int group : group_of_) owners.push_back(groups_[group].first_rank);
    return owners;
  }

 private:
  [[nodiscard]] Counts sum(Counts counts) const {
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT64_T,
                  MPI_SUM, comm_);
    return counts;
  }
  template <class Counted>
  [[nodiscard]] Counts count(Counted counted) const {
    Counts counts(groups_.size());
    for (std::size_t p = 0; p < group_of_.size(); ++p)
      if (counted(p)) ++counts[group_of_[p]];
    return counts;
  }

  /// The direction in which each group is spread out most.
  [[nodiscard]] std::vector<int> directions() const {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    std::vector<double> most(4 * groups_.size(), nothing);  // of x, y, -x and -y
    for (std::size_t p = 0; p < group_of_.size(); ++p) {
      for (int d = 0; d < 2; ++d) {
        double* const of = &most[4 * group_of_[p]];
        of[d] = std::max(of[d], positions_[2 * p + d]);
        of[d + 2] = std::max(of[d + 2], -positions_[2 * p + d]);
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_DOUBLE, MPI_MAX,
                  comm_);
    std::vector<int> directions;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const double* const of = &most[4 * g];
      directions.push_back(of[1] + of[3] > of[0] + of[2] ? 1 : 0);
    }
    return directions;
  }

  /// The wanted-th smallest key of each group, found bit by bit; 0 where none is wanted.
  [[nodiscard]] std::vector<std::uint64_t> cuts(const std::vector<std::uint64_t>& keys,
                                                const Counts& wanted) const {
    std::vector<std::uint64_t> cuts(groups_.size());
    for (std::uint64_t bit = std::uint64_t{1} << 63; bit > 0; bit /= 2) {
      const Counts below =
          sum(count([&](std::size_t p) { return keys[p] < (cuts[group_of_[p]] | bit); }));
      for (std::size_t g = 0; g < groups_.size(); ++g)
        if (below[g] < wanted[g]) cuts[g] |= bit;
    }
    return cuts;
  }

  void bisect() {
    const std::vector<int> direction = directions();
    std::vector<std::uint64_t> keys;
    for (std::size_t p = 0; p < group_of_.size(); ++p)
      keys.push_back(ordered_bits(positions_[2 * p + direction[group_of_[p]]]));
    Counts wanted = sum(count([](std::size_t) { return true; }));
    for (std::size_t g = 0; g < groups_.size(); ++g)
      wanted[g] = wanted[g] * (groups_[g].ranks / 2) / groups_[g].ranks;

    const std::vector<std::uint64_t> cut = cuts(keys, wanted);
    // Of the points right at the cut the first ones, in the order of the ranks, fill up the half.
    const Counts below = sum(count([&](std::size_t p) { return keys[p] < cut[group_of_[p]]; }));
    const Counts here = count([&](std::size_t p) { return keys[p] == cut[group_of_[p]]; });
    Counts before(groups_.size());
    MPI_Exscan(here.data(), before.data(), static_cast<int>(here.size()), MPI_INT64_T, MPI_SUM,
               comm_);
    if (rank_in(comm_) == 0) before.assign(groups_.size(), 0);
    for (std::size_t p = 0; p < group_of_.size(); ++p) {
      const int g = group_of_[p];
      const bool first =
          keys[p] < cut[g] || (keys[p] == cut[g] && below[g] + before[g]++ < wanted[g]);
      group_of_[p] = 2 * g + (first ? 0 : 1);
    }
    split_groups();
  }

  /// Every group in two; one of a single rank leaves its first half empty.
  void split_groups() {
    std::vector<Group> halves;
    for (const Group& group : groups_) {
      const int first = group.ranks / 2;
      halves.push_back({group.first_rank, first});
      halves.push_back({group.first_rank + first, group.ranks - first});
    }
    drop_empty(halves);
  }
  void drop_empty(const std::vector<Group>& halves) {
    std::vector<int> number(halves.size());
    groups_.clear();
    for (std::size_t h = 0; h < halves.size(); ++h) {
      number[h] = static_cast<int>(groups_.size());
      if (halves[h].ranks > 0) groups_.push_back(halves[h]);
    }
    for (int& group : group_of_) group = number[group];
  }

  MPI_Comm comm_;
  const std::vector<double>& positions_;
  std::vector<int> group_of_;  ///< of each point
  std::vector<Group> groups_;
};

}  // namespace

std::vector<int> partition_rcb(MPI_Comm comm, const std::vector<double>& positions) {
  return Bisection(comm, positions).run();
}

}  // namespace bellwether
