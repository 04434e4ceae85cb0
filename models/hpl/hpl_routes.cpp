// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_routes.hpp"

#include <algorithm>

namespace bellwether {

HplRoutes::HplRoutes(const Machine& machine, const ProcessGrid& grid, int ranks_per_node)
    : machine_(machine), grid_(grid), ranks_per_node_(ranks_per_node) {
  constexpr int most_lone_columns = 4, most_distances = 12;
  const int lone_columns = std::min(grid.columns, most_lone_columns);
  for (int distance = 1; distance < grid.rows; distance *= 2) {
    columns_.push_back(exchange(distance, 0, 0, grid.columns));
    HplAdded& lone = lone_.emplace_back();
    for (int column = 0; column < lone_columns; ++column) {
      const HplAdded one = exchange(distance, 0, column, 1);
      lone.byte_s += one.byte_s / lone_columns;
      lone.latency_s += one.latency_s / lone_columns;
    }
  }
  for (int distance = 1; distance < grid.columns; distance *= 2)
    rows_.push_back(exchange(0, distance, 0, grid.columns));
  const int others = grid.rows - 1, looked_at = std::min(others, most_distances);
  for (int one = 0; one < looked_at; ++one) {
    const int distance = 1 + static_cast<int>((2L * one + 1) * others / (2 * looked_at));
    const HplAdded added = exchange(distance, 0, 0, grid.columns);
    all_.byte_s += added.byte_s * others / looked_at;
    all_.latency_s += added.latency_s * others / looked_at;
  }
}

HplAdded HplRoutes::exchange(int rows_on, int columns_on, int first, int columns) const {
  ExchangeRoutes routes(machine_, {ranks_per_node_}, grid_.rows * grid_.columns);
  for (int row = 0; row < grid_.rows; ++row)
    for (int column = first; column < first + columns; ++column)
      routes.add(rank_at(row, column), rank_at(row + rows_on, column + columns_on), 1);
  const Contention found = routes.contention();
  return {found.bandwidth_s, found.latency_s};
}

std::vector<HplEdge> HplRoutes::edges(int from, const std::vector<int>& to) const {
  ExchangeRoutes routes(machine_, {ranks_per_node_}, grid_.rows * grid_.columns);
  for (int row = 0; row < grid_.rows; ++row)
    for (const int child : to) routes.add(rank_at(row, from), rank_at(row, child), 1);
  const double bandwidth = network_bandwidth(machine_);
  std::vector<HplEdge> edges;
  for (const int child : to) {
    HplEdge& edge = edges.emplace_back(HplEdge{0, 0});
    bool first = true;
    for (int row = 0; row < grid_.rows; ++row) {
      const int source = rank_at(row, from), target = rank_at(row, child);
      edge.sharing = std::max(edge.sharing, bandwidth * routes.passing_s(source, target));
      const double latency_s = routes.added_latency_s(source, target);
      edge.latency_s = first ? latency_s : std::max(edge.latency_s, latency_s);
      first = false;
    }
  }
  return edges;
}

}  // namespace bellwether
