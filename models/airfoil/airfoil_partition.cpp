// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/errors.hpp"
#include "models/network/routes.hpp"

namespace bellwether {
namespace {

std::int64_t overlap(std::int64_t first, std::int64_t end, std::int64_t other_first,
                     std::int64_t other_end) {
  return std::max<std::int64_t>(0, std::min(end, other_end) - std::max(first, other_first));
}

}  // namespace

bool at_least_as_much(const AirfoilWorkload& more, const AirfoilWorkload& less) {
  const double far_more = more.neighbours - more.near_neighbours;
  const double far_less = less.neighbours - less.near_neighbours;
  const double far_cells_more = more.halo_cells() - more.near_cells;
  const double far_cells_less = less.halo_cells() - less.near_cells;
  return more.cells >= less.cells && more.core_edges >= less.core_edges &&
         more.eeh_edges + more.ieh_edges >= less.eeh_edges + less.ieh_edges &&
         more.bedges + more.ieh_bedges >= less.bedges + less.ieh_bedges &&
         far_cells_more >= far_cells_less && more.near_cells >= less.near_cells &&
         far_more >= far_less && more.near_neighbours >= less.near_neighbours;
}

AirfoilPartition::AirfoilPartition(const AirfoilMesh& mesh, int ranks)
    : mesh_(mesh), ranks_(ranks), blocks_(std::max(ranks, 0)) {
  if (ranks < 1 || ranks > mesh.cells())
    throw BadInput(
        fmt::format("--ranks: found {}, expected 1 to {}, the mesh's cells", ranks, mesh.cells()));
  nodes_.reserve(2 * static_cast<std::size_t>(ranks));
  nodes_.push_back({{0, mesh.columns(), 0, mesh.rows}, -1, 0});
  divide(0, 0, ranks);
}

void AirfoilPartition::divide(int node, int first_rank, int ranks) {
  const CellBlock block = nodes_[node].block;
  if (ranks == 1) {
    nodes_[node].rank = first_rank;
    blocks_[first_rank] = block;
    return;
  }
  const bool by_column = block.width() >= block.height();
  const std::int64_t length = by_column ? block.width() : block.height();
  const std::int64_t across = by_column ? block.height() : block.width();
  const double share = static_cast<double>(ranks / 2) / ranks;
  const std::int64_t cut =
      std::clamp<std::int64_t>(std::llround(share * static_cast<double>(length)), 1, length - 1);
  // Where a rank has but a few cells, whole rows may not hold so many ranks as their share.
  const auto most = static_cast<int>(std::min<std::int64_t>(cut * across, ranks - 1));
  const auto fewest = static_cast<int>(std::max<std::int64_t>(1, ranks - (length - cut) * across));
  const int first_ranks = std::clamp(ranks / 2, fewest, most);
  CellBlock first = block, second = block;
  if (by_column)
    first.end_column = second.first_column = block.first_column + cut;
  else
    first.end_row = second.first_row = block.first_row + cut;
  const int child = static_cast<int>(nodes_.size());
  nodes_[node].first_child = child;
  nodes_.push_back({first, -1, 0});
  nodes_.push_back({second, -1, 0});
  divide(child, first_rank, first_ranks);
  divide(child + 1, first_rank + first_ranks, ranks - first_ranks);
}

/// Calls `visit` with each rank whose block meets the region.
template <class Visit>
void AirfoilPartition::visit_blocks(const CellBlock& region, Visit visit) const {
  std::array<int, 128> stack;  // twice the depth: ranks halve at each level, or nearly so
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    const CellBlock& block = node.block;
    if (block.first_column >= region.end_column || region.first_column >= block.end_column ||
        block.first_row >= region.end_row || region.first_row >= block.end_row)
      continue;
    if (node.first_child < 0) {
      visit(node.rank);
    } else {
      stack[depth++] = node.first_child;
      stack[depth++] = node.first_child + 1;
    }
  }
}

template <class Visit>
void AirfoilPartition::visit_borders(int node, Visit& visit) const {
  const int child = nodes_[node].first_child;
  if (child < 0) return;
  visit_borders(child, visit);
  visit_borders(child + 1, visit);
  visit_border(child, child + 1, visit);
}

/// Of two nodes beside or above each other.
template <class Visit>
void AirfoilPartition::visit_border(int first, int second, Visit& visit) const {
  const Node &one = nodes_[first], &other = nodes_[second];
  const CellBlock &a = one.block, &b = other.block;
  const bool beside = a.end_column == b.first_column;
  const std::int64_t length =
      beside ? overlap(a.first_row, a.end_row, b.first_row, b.end_row)
             : overlap(a.first_column, a.end_column, b.first_column, b.end_column);
  if (length == 0) return;
  if (one.first_child >= 0) {
    for (const int child : {one.first_child, one.first_child + 1}) {
      const CellBlock& part = nodes_[child].block;
      if (beside ? part.end_column == a.end_column : part.end_row == a.end_row)
        visit_border(child, second, visit);
    }
  } else if (other.first_child >= 0) {
    for (const int child : {other.first_child, other.first_child + 1}) {
      const CellBlock& part = nodes_[child].block;
      if (beside ? part.first_column == b.first_column : part.first_row == b.first_row)
        visit_border(first, child, visit);
    }
  } else {
    visit(one.rank, other.rank, static_cast<double>(length));
  }
}

int AirfoilPartition::owner(std::int64_t column, std::int64_t row) const {
  int found = -1;
  visit_blocks({column, column + 1, row, row + 1}, [&found](int rank) { found = rank; });
  return found;
}

/// A rank's sets while they are being counted.
struct AirfoilPartition::Tally {
  int rank;
  int ranks_per_node;
  AirfoilWorkload work{};
  std::vector<CellImport> imports{};  ///< of one owner several, until they are counted

  [[nodiscard]] bool near(int other) const {
    return other / ranks_per_node == rank / ranks_per_node;
  }
  void import(int other, double cells) {
    imports.push_back({other, cells});
    work.inh_cells += cells;
    if (near(other)) work.near_cells += cells;
  }
};

void AirfoilPartition::count_side(const CellBlock& beyond, bool own_first, Tally& tally) const {
  if (beyond.first_column < 0 || beyond.end_column > mesh_.columns() ||
      beyond.end_row > mesh_.rows) {
    tally.work.bedges += static_cast<double>(beyond.cells());
    return;
  }
  (own_first ? tally.work.eeh_edges : tally.work.ieh_edges) += static_cast<double>(beyond.cells());
  visit_blocks(beyond, [&](int other) {
    const CellBlock& block = blocks_[other];
    const std::int64_t cells =
        overlap(beyond.first_column, beyond.end_column, block.first_column, block.end_column) *
        overlap(beyond.first_row, beyond.end_row, block.first_row, block.end_row);
    tally.import(other, static_cast<double>(cells));
  });
}

void AirfoilPartition::count_wake(const CellBlock& own, Tally& tally) const {
  const std::int64_t columns = mesh_.columns(), block_columns = mesh_.block_columns;
  const std::int64_t left = own.first_column, right = own.end_column;
  AirfoilWorkload& work = tally.work;
  work.bedges += static_cast<double>(overlap(left, right, block_columns, 2 * block_columns));
  // Both halves of the wake: what lies across is the mirror image.
  for (const bool lower : {true, false}) {
    const std::int64_t from = lower ? left : std::max(left, 2 * block_columns);
    const std::int64_t to = lower ? std::min(right, block_columns) : right;
    if (from >= to) continue;
    const CellBlock mirrored{columns - to, columns - from, 0, 1};
    visit_blocks(mirrored, [&](int other) {
      const CellBlock& block = blocks_[other];
      const auto cells = static_cast<double>(overlap(mirrored.first_column, mirrored.end_column,
                                                     block.first_column, block.end_column));
      if (other != tally.rank) {
        (lower ? work.eeh_edges : work.ieh_edges) += cells;
        tally.import(other, cells);
      } else if (lower) {  // the upper half holds the same edges
        work.core_edges += cells;
      }
    });
  }
  // A cell beside the block may lie across the wake from it too; it is imported once.
  for (const std::int64_t beside : {left - 1, right}) {
    if (beside < 0 || beside >= columns) continue;
    const std::int64_t across = mesh_.across_wake(beside);
    if (across < left || across >= right) continue;
    tally.import(owner(beside, 0), -1);
  }
}

AirfoilPartition::Tally AirfoilPartition::count(int rank, int ranks_per_node) const {
  const CellBlock& own = blocks_[rank];
  const std::int64_t left = own.first_column, right = own.end_column;
  const std::int64_t width = own.width(), height = own.height();
  Tally tally{.rank = rank, .ranks_per_node = ranks_per_node};
  tally.imports.reserve(16);
  tally.work.cells = static_cast<double>(own.cells());
  tally.work.core_edges = static_cast<double>((width - 1) * height + width * (height - 1));
  count_side({left - 1, left, own.first_row, own.end_row}, false, tally);
  count_side({right, right + 1, own.first_row, own.end_row}, true, tally);
  count_side({left, right, own.end_row, own.end_row + 1}, true, tally);
  if (own.first_row > 0)
    count_side({left, right, own.first_row - 1, own.first_row}, false, tally);
  else
    count_wake(own, tally);
  std::vector<CellImport>& imports = tally.imports;
  const auto by_owner = [](const CellImport& a, const CellImport& b) { return a.owner < b.owner; };
  std::sort(imports.begin(), imports.end(), by_owner);
  std::size_t last = 0;
  for (std::size_t next = 1; next < imports.size(); ++next) {
    if (imports[next].owner == imports[last].owner)
      imports[last].cells += imports[next].cells;
    else
      imports[++last] = imports[next];
  }
  if (!imports.empty()) imports.resize(last + 1);
  tally.work.neighbours = static_cast<double>(imports.size());
  tally.work.near_neighbours = static_cast<double>(
      std::count_if(imports.begin(), imports.end(),
                    [&tally](const CellImport& one) { return tally.near(one.owner); }));
  return tally;
}

AirfoilWorkload AirfoilPartition::workload(int rank, int ranks_per_node) const {
  return count(rank, ranks_per_node).work;
}

std::vector<AirfoilWorkload> AirfoilPartition::workloads(int ranks_per_node) const {
  std::vector<AirfoilWorkload> all(blocks_.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const CellBlock& own = blocks_[rank];
    const std::int64_t width = own.width(), height = own.height();
    AirfoilWorkload& work = all[rank];
    work.cells = static_cast<double>(own.cells());
    work.core_edges = static_cast<double>((width - 1) * height + width * (height - 1));
    work.bedges = static_cast<double>((own.first_column == 0 ? height : 0) +
                                      (own.end_column == mesh_.columns() ? height : 0) +
                                      (own.end_row == mesh_.rows ? width : 0));
  }
  const auto import = [](AirfoilWorkload& work, double cells, bool near) {
    work.inh_cells += cells;
    work.neighbours += 1;
    if (!near) return;
    work.near_cells += cells;
    work.near_neighbours += 1;
  };
  const auto count_border = [&](int first, int second, double cells) {
    const bool near = first / ranks_per_node == second / ranks_per_node;
    all[first].eeh_edges += cells;
    all[second].ieh_edges += cells;
    import(all[first], cells, near);
    import(all[second], cells, near);
  };
  visit_borders(0, count_border);
  for (int rank = 0; rank < ranks_; ++rank)
    if (at_wake(rank)) all[rank] = workload(rank, ranks_per_node);
  return all;
}

std::vector<CellImport> AirfoilPartition::imports(int rank) const { return count(rank, 1).imports; }

void AirfoilPartition::visit_imports(
    const std::function<void(int owner, int rank, double cells)>& visit) const {
  const auto visit_both = [&](int first, int second, double cells) {
    if (!at_wake(first)) visit(second, first, cells);
    if (!at_wake(second)) visit(first, second, cells);
  };
  visit_borders(0, visit_both);
  for (int rank = 0; rank < ranks_; ++rank)
    if (at_wake(rank))
      for (const CellImport& one : imports(rank)) visit(one.owner, rank, one.cells);
}

double airfoil_contention(const Machine& machine, const AirfoilPartition& partition,
                          int ranks_per_node, double cell_bytes) {
  ExchangeRoutes routes(machine, {ranks_per_node}, partition.size());
  if (!routes.counts()) return 0;
  partition.visit_imports(
      [&](int owner, int rank, double cells) { routes.add(owner, rank, cells * cell_bytes); });
  return routes.contention().seconds();
}

std::vector<AirfoilWorkload> busiest_workloads(const AirfoilPartition& partition,
                                               int ranks_per_node) {
  std::vector<AirfoilWorkload> busiest;
  std::size_t before = 0;  // which of them outdid the last rank: often the next one too
  for (const AirfoilWorkload& next : partition.workloads(ranks_per_node)) {
    const auto outdone = [&next](const AirfoilWorkload& other) {
      return at_least_as_much(other, next);
    };
    if (before < busiest.size() && outdone(busiest[before])) continue;
    const auto found = std::find_if(busiest.begin(), busiest.end(), outdone);
    before = static_cast<std::size_t>(found - busiest.begin());
    if (found != busiest.end()) continue;
    std::erase_if(busiest,
                  [&next](const AirfoilWorkload& other) { return at_least_as_much(next, other); });
    busiest.push_back(next);
  }
  return busiest;
}

}  // namespace bellwether
