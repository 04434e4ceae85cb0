// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace bellwether {

enum class AirfoilKernel {
  save_soln,
  adt_calc,
  res_calc,
  bres_calc,
  update,
  update_adt,
  gather_res,
  stage
};

/// Flops for one element of the loop, a division and a square root one each. bres_calc: of an edge
/// at the far field; a wall's has airfoil_wall_flops. update: airfoil_change_flops more where the
/// change is asked for. gather_res and stage: of a cell with four others round it.
constexpr int airfoil_flops(AirfoilKernel kernel) {
  constexpr int adt = 37, perimeter = 19, flux = 48, step = 9, sides = 8, flux_state = 7;
  // adt with its perimeter given; the cell's own state stands in all four fluxes.
  constexpr int gather = sides + flux_state + 4 * (flux - flux_state) + 16;
  switch (kernel) {
    case AirfoilKernel::save_soln:
      return 0;
    case AirfoilKernel::adt_calc:
      return adt + perimeter;
    case AirfoilKernel::res_calc:
      return flux + 8;
    case AirfoilKernel::bres_calc:
      return flux + 4;
    case AirfoilKernel::update:
      return step;
    case AirfoilKernel::update_adt:
      return step + adt;
    case AirfoilKernel::gather_res:
      return gather;
    case AirfoilKernel::stage:
      return gather + step + adt - sides;
  }
  return 0;
}
inline constexpr int airfoil_wall_flops = 11;
inline constexpr int airfoil_change_flops = 7;

/// Elements that a loop goes over or touches.
struct AirfoilCounts {
  std::int64_t nodes = 0, cells = 0, edges = 0, boundary_edges = 0;
};

/// Bytes of a loop over all of them with values of value_bytes: each value and each index that it
/// needs read once, and written once where it changes (res in res_calc both, adt in update_adt).
/// Of a stage, whose q_old is its q in the first of an iteration's two, the mean of both. A
/// write-allocate is not counted, nor the change. Few cells have boundary edges; those of
/// bres_calc are taken to have one each.
constexpr std::int64_t airfoil_bytes(AirfoilKernel kernel, const AirfoilCounts& n,
                                     int value_bytes) {
  constexpr int q = 4, adt = 1, res = 4, perimeter = 1, point = 2, index = 4;
  const std::int64_t corners = point * n.nodes * value_bytes + 4 * index * n.cells;
  switch (kernel) {
    case AirfoilKernel::save_soln:
      return 2 * q * n.cells * value_bytes;
    case AirfoilKernel::adt_calc:
      return (q + adt) * n.cells * value_bytes + corners;
    case AirfoilKernel::res_calc:
      return (q + adt + 2 * res) * n.cells * value_bytes +
             (point * value_bytes + 2 * index) * n.edges;
    case AirfoilKernel::bres_calc:
      return ((q + adt + 2 * res + point) * value_bytes + 2 * index) * n.boundary_edges;
    case AirfoilKernel::update:
      return (2 * q + adt + 2 * res) * n.cells * value_bytes;
    case AirfoilKernel::update_adt:
      return (2 * q + 2 * adt + 2 * res + perimeter) * n.cells * value_bytes + corners;
    case AirfoilKernel::gather_res:
      return ((q + adt + res) * value_bytes + 4 * index) * n.cells + corners;
    case AirfoilKernel::stage:
      return ((2 * q + q / 2 + 2 * adt + perimeter) * value_bytes + 4 * index) * n.cells + corners;
  }
  return 0;
}

/// Of a stage of res_calc, bres_calc and update_adt whose tiles stay in the caches: q, adt and res
/// are read once for all three and written once; q_old is q in the first of an iteration's two
/// (here the mean of both).
constexpr std::int64_t airfoil_tiled_bytes(const AirfoilCounts& n, int value_bytes) {
  constexpr int q = 4, adt = 1, res = 4, perimeter = 1, point = 2, index = 4;
  const std::int64_t corners = point * n.nodes * value_bytes + 4 * index * n.cells;
  return (2 * q + q / 2 + 2 * adt + 2 * res + perimeter) * n.cells * value_bytes + corners +
         (point * value_bytes + 2 * index) * (n.edges + n.boundary_edges);
}

}  // namespace bellwether
