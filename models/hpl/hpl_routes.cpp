// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_routes.hpp"

#include <algorithm>

namespace bellwether {

HplRoutes::HplRoutes(const Machine& machine, const ProcessGrid& grid, int ranks_per_node)
    : machine_(machine),
      grid_(grid),
      ranks_per_node_(ranks_per_node),
      columns_on_node_(grid.columns_on_node(ranks_per_node)) {
  constexpr int most_distances = 12;
  for (int distance = 1; distance < grid.rows; distance *= 2) {
    columns_.push_back(column_exchanges({distance}));
    lone_.push_back(mean_exchange(distance, 1));
  }
  for (int distance = 1; distance < grid.columns; distance *= 2)
    rows_.push_back(exchange(0, distance, 0, grid.columns));
  const int others = grid.rows - 1, looked_at = std::min(others, most_distances);
  if (others == 0) return;
  std::vector<int> distances;
  for (int one = 0; one < looked_at; ++one)
    distances.push_back(1 + static_cast<int>((2L * one + 1) * others / (2 * looked_at)));
  all_ = column_exchanges(distances);
  for (double* const sum : {&all_.byte_s, &all_.latency_s})
    *sum *= static_cast<double>(others) / looked_at;
}

HplAdded HplRoutes::column_exchanges(const std::vector<int>& distances) const {
  HplAdded sum;
  for (const int distance : distances) {
    const HplAdded one = mean_exchange(distance, columns_on_node_);
    sum.byte_s += one.byte_s;
    sum.latency_s += one.latency_s;
  }
  return sum;
}

HplAdded HplRoutes::mean_exchange(int distance, int columns) const {
  constexpr int most = 4;
  const int count = std::min(grid_.columns / columns, most);
  HplAdded mean;
  for (int one = 0; one < count; ++one) {
    const HplAdded added = exchange(distance, 0, one * columns, columns);
    mean.byte_s += added.byte_s / count;
    mean.latency_s += added.latency_s / count;
  }
  return mean;
}

HplAdded HplRoutes::exchange(int rows_on, int columns_on, int first, int columns) const {
  ExchangeRoutes routes(machine_, {ranks_per_node_}, grid_.rows * grid_.columns);
  for (int row = 0; row < grid_.rows; ++row)
    for (int column = first; column < first + columns; ++column)
      routes.add(rank_at(row, column), rank_at(row + rows_on, column + columns_on), 1);
  const Contention found = routes.contention();
  return {found.bandwidth_s, found.latency_s};
}

HplEdge HplRoutes::edge(int from, int to) const {
  ExchangeRoutes routes(machine_, {ranks_per_node_}, grid_.rows * grid_.columns);
  for (int row = 0; row < grid_.rows; ++row) routes.add(rank_at(row, from), rank_at(row, to), 1);
  const double bandwidth = network_bandwidth(machine_);
  HplEdge edge{0, 0};
  for (int row = 0; row < grid_.rows; ++row) {
    const int source = rank_at(row, from), target = rank_at(row, to);
    edge.sharing = std::max(edge.sharing, bandwidth * routes.passing_s(source, target));
    const double latency_s = routes.added_latency_s(source, target);
    edge.latency_s = row == 0 ? latency_s : std::max(edge.latency_s, latency_s);
  }
  return edge;
}

}  // namespace bellwether
