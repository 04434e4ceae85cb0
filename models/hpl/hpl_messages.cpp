// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_messages.hpp"

#include <algorithm>

#include "models/network/paths.hpp"

namespace bellwether {
namespace {

const HplPath& along_row(const HplSteps& steps) {
  const HplPaths& paths = steps.paths();
  return paths.columns_on_node < steps.problem().grid.columns ? paths.row_between
                                                              : paths.row_within;
}

}  // namespace

double solve_messages(const HplSteps& steps, double w) {
  const ProcessGrid& grid = steps.problem().grid;
  double seconds = 0;
  const HplPaths& paths = steps.paths();
  const int row_stages = grid.columns > 1 ? tree_stages(grid.columns) : 0;
  const int column_stages = grid.rows > 1 ? tree_stages(grid.rows) : 0;
  seconds += row_stages * along_row(steps).seconds(1, sizeof(double) * w);
  seconds += column_stages * paths.column.seconds(1, sizeof(double) * w);
  if (!paths.routes) return seconds;
  for (int stage = 0; stage < row_stages; ++stage)
    seconds += paths.routes->row_exchange(stage).latency_s;
  for (int stage = 0; stage < column_stages; ++stage)
    seconds += paths.routes->lone_column_exchange(stage).latency_s;
  return seconds;
}

double gathering(const HplSteps& steps) {
  const int columns = steps.problem().grid.columns;
  if (columns == 1) return 0;
  const auto bytes = sizeof(double) * static_cast<double>(steps.problem().size);
  double seconds = tree_stages(columns) * along_row(steps).seconds(1, bytes);
  for (int stage = 0; steps.paths().routes && stage < tree_stages(columns); ++stage) {
    const HplAdded& added = steps.paths().routes->row_exchange(stage);
    seconds += std::max(0., bytes * added.byte_s) + added.latency_s;
  }
  return seconds;
}

std::vector<HplEdge> edges_from(const HplSteps& steps, int from, const std::vector<int>& to) {
  if (steps.paths().routes) return steps.paths().routes->edges(from, to);
  return std::vector<HplEdge>(to.size(), HplEdge{static_cast<double>(to.size()), 0});
}

double move_s(const HplSteps& steps, double bytes, const HplEdge& edge) {
  const double alone = steps.hop(bytes, true).move_s, start = steps.hop(0, true).move_s;
  return start + edge.latency_s + edge.sharing * (alone - start);
}

void add_exposed(const HplTerms& made, double exposed_s, HplTerms& terms) {
  const double whole = made.total();
  const double shown = std::min(exposed_s, whole);
  if (whole > 0) terms.add(made, shown / whole);
  terms[HplTerm::wait] += exposed_s - shown;
}

}  // namespace bellwether
