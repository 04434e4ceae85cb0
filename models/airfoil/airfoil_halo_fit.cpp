// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_halo_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/airfoil/airfoil_partition.hpp"

namespace bellwether {

AirfoilHaloFit fit_halos(const AirfoilMesh& mesh, int most_ranks) {
  const auto cells = static_cast<double>(mesh.cells());
  const int most = static_cast<int>(std::clamp<double>(cells / 16, 1, most_ranks));
  std::set<int> counts;
  // Not only powers of two, which divide more evenly than other numbers do.
  for (const int eighths : {3, 4, 5, 6, 7, 8})
    for (const int odd : {0, 1}) counts.insert(std::max(1, most * eighths / 8 - odd));
  AirfoilHaloFit fit{0, 0, 0, most};
  for (const int ranks : counts) {
    const AirfoilPartition partition(mesh, ranks);
    AirfoilWorkload largest;
    for (const AirfoilWorkload& work : partition.workloads(1)) {
      largest.cells = std::max(largest.cells, work.cells);
      largest.inh_cells = std::max(largest.inh_cells, work.inh_cells);
      largest.neighbours = std::max(largest.neighbours, work.neighbours);
    }
    const double average = cells / ranks;
    const auto weight = 1. / static_cast<double>(counts.size());
    fit.halo_per_root += weight * largest.inh_cells / std::sqrt(average);
    fit.neighbours += weight * largest.neighbours;
    fit.largest_share += weight * largest.cells / average;
  }
  return fit;
}

AirfoilWorkload fitted_workload(const AirfoilHaloFit& fit, const AirfoilMesh& mesh, int ranks,
                                int ranks_per_node) {
  const double average = static_cast<double>(mesh.cells()) / ranks;
  AirfoilWorkload work;
  work.cells = fit.largest_share * average;
  work.inh_cells = fit.halo_per_root * std::sqrt(average);
  const double cut = work.inh_cells;
  // Each cell has 4 edges, which it shares; half of the cut ones are this rank's own.
  work.core_edges = std::max(0., (4 * work.cells - cut) / 2);
  work.eeh_edges = work.ieh_edges = cut / 2;
  work.bedges = static_cast<double>(mesh.boundary_edges()) / ranks;
  work.neighbours = fit.neighbours;
  if (ranks <= ranks_per_node) {
    work.near_cells = work.inh_cells;
    work.near_neighbours = work.neighbours;
  }
  return work;
}

}  // namespace bellwether
