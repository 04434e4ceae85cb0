// SPDX-License-Identifier: MIT
// Messages of any decomposition, in one process: each cell of the whole domain finds what its
// neighbours sent out.
#include "miniapps/lbm/lbm_halo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "kernels/launch/packed_boxes.hpp"

namespace bellwether {
namespace {

using Cell = std::array<int, 3>;

/// One rank's storage; a value names the population that was left there.
struct Subdomain {
  Subdomain(const Decomposition& decomposition, int rank)
      : offset(decomposition.offset(rank)),
        layout(lbm_layout(decomposition, rank, sizeof(double))),
        values(layout.elements(), -1),
        messages(lbm_messages(decomposition, rank, layout, sizeof(double))) {}

  Cell offset;
  LbmLayout layout;
  std::vector<double> values;
  std::vector<HaloMessage> messages;
};

template <class Visit>
void for_each_cell(const Box& box, const Visit& visit) {
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i) visit(Cell{i, j, k});
}

class Domain {
 public:
  explicit Domain(const Decomposition& decomposition) : decomposition_(decomposition) {
    for (int rank = 0; rank < decomposition.size(); ++rank)
      ranks_.emplace_back(decomposition, rank);
  }

  /// What a step leaves: outgoing populations, where the next one finds them.
  void step(int parity) {
    for (Subdomain& rank : ranks_) {
      for_each_cell(rank.layout.field().interior(), [&](const Cell& x) {
        for (int p = 0; p < d3q19::pairs; ++p) {
          const Cell y = beside(rank, x, p);
          at(rank, other_slot(p, parity), y) = name(global(rank, x), 2 * p);
          at(rank, own_slot(p, parity), x) = name(global(rank, x), 2 * p + 1);
        }
      });
    }
  }
  /// All messages packed, then all delivered. Each place once, so that their order does not matter.
  void exchange(int parity) {
    std::map<std::tuple<int, int, Cell>, std::vector<double>> under_way;
    for (int r = 0; r < decomposition_.size(); ++r) {
      for (const HaloMessage& message : ranks_[r].messages) {
        std::vector<double>& values = under_way[{r, message.neighbour, message.shift}];
        for (const HaloPart& part : message.pack)
          for_each_cell(part.box, [&](const Cell& cell) {
            values.push_back(ranks_[r].values[part.field[parity] + offset(ranks_[r], cell)]);
          });
        ASSERT_EQ(values.size() * sizeof(double), message.bytes);
      }
    }
    for (int r = 0; r < decomposition_.size(); ++r) {
      std::set<std::size_t> written;
      for (const HaloMessage& message : ranks_[r].messages) {
        const Cell& shift = message.shift;
        const auto found =
            under_way.find({message.neighbour, r, {-shift[0], -shift[1], -shift[2]}});
        ASSERT_NE(found, under_way.end());
        std::size_t next = 0;
        for (const HaloPart& part : message.unpack)
          for_each_cell(part.box, [&](const Cell& cell) {
            const std::size_t place = part.field[parity] + offset(ranks_[r], cell);
            EXPECT_TRUE(written.insert(place).second);
            ranks_[r].values[place] = found->second.at(next++);
          });
        EXPECT_EQ(next, found->second.size());
      }
    }
  }
  /// Every cell whose neighbour is within the domain finds what that sent out.
  void expect_arrived(int next) {
    for (Subdomain& rank : ranks_) {
      for_each_cell(rank.layout.field().interior(), [&](const Cell& x) {
        for (int p = 0; p < d3q19::pairs; ++p) {
          const auto& c = d3q19::velocity[p];
          Cell low = global(rank, x), high = low;
          for (int d = 0; d < 3; ++d) {
            low[d] -= c[d];
            high[d] += c[d];
          }
          if (wrap(low)) {
            ASSERT_EQ(at(rank, own_slot(p, next), x), name(low, 2 * p)) << p;
          }
          if (wrap(high)) {
            ASSERT_EQ(at(rank, other_slot(p, next), beside(rank, x, p)), name(high, 2 * p + 1))
                << p;
          }
        }
      });
    }
  }
  [[nodiscard]] std::size_t bytes_of(int rank) const {
    std::size_t bytes = 0;
    for (const HaloMessage& message : ranks_[rank].messages) bytes += message.bytes;
    return bytes;
  }

 private:
  static std::size_t offset(const Subdomain& rank, const Cell& cell) {
    return rank.layout.field().at(cell[0], cell[1], cell[2]);
  }
  static double& at(Subdomain& rank, int slot, const Cell& cell) {
    return rank.values[slot * rank.layout.slot_pitch() + offset(rank, cell)];
  }
  /// x + c, around the subdomain where it spans a periodic domain.
  [[nodiscard]] Cell beside(const Subdomain& rank, Cell cell, int pair) const {
    for (int d = 0; d < 3; ++d) {
      cell[d] += d3q19::velocity[pair][d];
      const int cells = rank.layout.cells()[d];
      if (decomposition_.periodic() && decomposition_.ranks()[d] == 1)
        cell[d] = (cell[d] + cells) % cells;
    }
    return cell;
  }
  static Cell global(const Subdomain& rank, const Cell& cell) {
    return {rank.offset[0] + cell[0], rank.offset[1] + cell[1], rank.offset[2] + cell[2]};
  }
  /// Into the domain, if it is periodic; whether it is there.
  [[nodiscard]] bool wrap(Cell& cell) const {
    for (int d = 0; d < 3; ++d) {
      const int cells = decomposition_.cells()[d];
      if (decomposition_.periodic()) cell[d] = (cell[d] + cells) % cells;
      if (cell[d] < 0 || cell[d] >= cells) return false;
    }
    return true;
  }
  [[nodiscard]] double name(const Cell& cell, int population) const {
    const auto& n = decomposition_.cells();
    return 18.0 * (cell[0] + n[0] * (cell[1] + 1.0 * n[1] * cell[2])) + population;
  }

  Decomposition decomposition_;
  std::vector<Subdomain> ranks_;
};

TEST(LbmHalo, EveryCellFindsWhatItsNeighboursSentOut) {
  for (const Cell& cells : {Cell{4, 5, 3}, {3, 3, 3}, {2, 4, 6}, {5, 1, 4}}) {
    for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 27}) {
      for (const auto& shape : factorizations(ranks, cells)) {
        for (const bool periodic : {true, false}) {
          const Decomposition decomposition(cells, shape, periodic);
          SCOPED_TRACE(decomposition.name() + (periodic ? " periodic" : " walled"));
          Domain domain(decomposition);
          for (const int parity : {0, 1}) {
            domain.step(parity);
            domain.exchange(parity);
            domain.expect_arrived(1 - parity);
          }
        }
      }
    }
  }
}

/// 5 of a face's cells; where two directions are split an edge's cells are left out of the two
/// diagonal populations of both faces and bear one of their own.
TEST(LbmHalo, FivePopulationsOfAFaceAndOneOfAnEdge) {
  const auto bytes = [](const Cell& shape) {
    const Decomposition decomposition({7, 6, 5}, shape, true);
    return Domain(decomposition).bytes_of(0) / sizeof(double);
  };
  EXPECT_EQ(bytes({1, 1, 1}), 0u);
  EXPECT_EQ(bytes({1, 1, 5}), 2u * 5 * 42);
  EXPECT_EQ(bytes({7, 1, 1}), 2u * 5 * 30);
  EXPECT_EQ(bytes({1, 3, 5}), 2u * (5 * 14 - 2 * 7) + 2 * (5 * 7 - 2 * 7) + 4 * 7);
}

/// As many parts as a halo can have, in one launch on a device.
TEST(LbmHalo, TheTableOfALaunchTakesAllPartsOfThreeSplitDirections) {
  const Subdomain sub(Decomposition({8, 8, 8}, {2, 2, 2}, true), 0);
  std::vector<PackedBox> pack, unpack;
  for (const HaloMessage& message : sub.messages) {
    for (const HaloPart& part : message.pack) pack.push_back({part.box});
    for (const HaloPart& part : message.unpack) unpack.push_back({part.box});
  }
  EXPECT_EQ(sub.messages.size(), 18u);
  for (const auto& parts : {pack, unpack}) {
    EXPECT_EQ(parts.size(), 42u);
    int launches = 0;
    with_packed_moves<true>(nullptr, nullptr, sub.layout.field(), parts, sizeof(double),
                            [&](const auto&) { ++launches; });
    EXPECT_EQ(launches, 1);
  }
}

}  // namespace
}  // namespace bellwether
