// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/airfoil/airfoil_gas.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/mesh_ranges.hpp"

namespace bellwether {

// Arrays are in device memory, in the numbers that a rank gives its elements. Data of cells and
// nodes are records: q[4 c] to q[4 c + 3] is cell c's (rho, rho u, rho v, E).

/// Where cells are: nodes[4 c + k] are cell c's, in their order round it; x[2 n], x[2 n + 1]; and
/// perimeters[c], as set_perimeters has them, which update_adt and stage read in place of four
/// square roots.
template <class T>
struct AirfoilCells {
  const std::int32_t* nodes;
  const T* x;
  const T* perimeters;
};

/// Edges between two cells: cells[2 e], cells[2 e + 1], and sides[2 e], sides[2 e + 1] = x1 - x2 of
/// the edge's nodes, (dx, dy), such that (dy, -dx) points out of the first cell into the second.
template <class T>
struct AirfoilEdges {
  const std::int32_t* cells;
  const T* sides;
};

/// Edges at the boundary of the mesh: cells[e], flags[e] (1 a wall, else the far field), and sides
/// as those of AirfoilEdges, (dy, -dx) pointing out.
template <class T>
struct AirfoilBoundary {
  const std::int32_t* cells;
  const std::int32_t* flags;
  const T* sides;
};
inline constexpr std::int32_t airfoil_wall = 1;

/// What lies beyond a side of a cell, in 32 bits: another cell, the boundary of the mesh, or
/// nothing where the mesh has no edge.
struct AirfoilSide {
  enum Kind : std::uint32_t { inner, wall, far_field, nothing };
  static constexpr std::uint32_t most_cells = 1u << 30;

  std::uint32_t cell;  ///< the other; where there is none this one, so that it can be read
  Kind kind;

  [[nodiscard]] BELLWETHER_HOST_DEVICE constexpr std::uint32_t code() const {
    return kind * most_cells | cell;
  }
  [[nodiscard]] BELLWETHER_HOST_DEVICE static constexpr AirfoilSide of(std::uint32_t code) {
    return {code % most_cells, static_cast<Kind>(code / most_cells)};
  }
};

/// Cells and what lies round them: sides[4 c + k] is the code of the AirfoilSide of cell c from its
/// corner k to the next.
template <class T>
struct AirfoilSurroundings {
  AirfoilCells<T> where;
  const std::uint32_t* sides;
};

/// Sums over cells, in double precision, of the four values that each has.
struct AirfoilSums {
  double total[4] = {};
  double magnitude[4] = {};     ///< of absolute values: what rounding is measured by
  std::int64_t not_finite = 0;  ///< cells with a value that is not finite

  BELLWETHER_HOST_DEVICE void add(const AirfoilSums& more) {
    for (int k = 0; k < 4; ++k) {
      total[k] += more.total[k];
      magnitude[k] += more.magnitude[k];
    }
    not_finite += more.not_finite;
  }
};

/// Kernels of the Airfoil mini-app on one backend: the five loops of OP2's Airfoil, each over a
/// range. T is float or double. Asynchronous, but for those with a result.
///
/// An iteration is: q_old = q; then twice adt of all cells, res_calc of all edges, bres_calc of the
/// boundary, update of all cells with the q_old of the iteration's begin. Two ways do the same with
/// less traffic, and give the same bits:
///  - Nothing is saved: with two arrays A and B, stage 1 reads A and updates B from A; stage 2
///    reads B and updates A from A (q_old and q may be the same array).
///  - update_adt in place of an update and the adt_calc after it.
/// A third way needs neither res nor edges: in a stage each cell gathers the fluxes through its
/// sides in their order, from a q and an adt to another q and another adt: the same bits on any
/// number of threads, but others than those of edges in another order. What a side gives to one
/// cell it takes from the other, to the bit (flux_between).
/// Before res_calc, gather_res and stage, q and adt of the cells that another rank owns are
/// exchanged; what an edge increments of those is never used.
template <class T>
class AirfoilKernels {
 public:
  virtual ~AirfoilKernels() = default;
  /// q = the free stream, rounded to T; also the first touch, as clear().
  virtual void set_free_stream(ElementRange cells, T* q, Stream& stream) = 0;
  /// res = 0: before the first iteration. update() leaves it so; where it is never called (cells
  /// that another rank owns), increments grow.
  virtual void clear(ElementRange cells, T* res, Stream& stream) = 0;
  /// sides[2 e + d] = x[2 n1 + d] - x[2 n2 + d], n1 = nodes[2 e], n2 = nodes[2 e + 1]: for edges or
  /// boundary edges, once.
  virtual void set_sides(ElementRange edges, const std::int32_t* nodes, const T* x, T* sides,
                         Stream& stream) = 0;
  /// perimeters[c] = the lengths of the cell's four sides together, once. where.perimeters is not
  /// read.
  virtual void set_perimeters(ElementRange cells, const AirfoilCells<T>& where, T* perimeters,
                              Stream& stream) = 0;

  /// q_old = q.
  virtual void save_soln(ElementRange cells, const T* q, T* q_old, Stream& stream) = 0;
  /// adt = area over time step, from CFL, waves and sides. where.perimeters is not read.
  virtual void adt_calc(ElementRange cells, const AirfoilCells<T>& where, const T* q, T* adt,
                        Stream& stream) = 0;
  /// res of both cells +- the flux through the edge.
  virtual void res_calc(const EdgeRange& range, const AirfoilEdges<T>& edges, const T* q,
                        const T* adt, T* res, Stream& stream) = 0;
  /// res of the cell + the wall's pressure or the flux into the free stream.
  virtual void bres_calc(const EdgeRange& range, const AirfoilBoundary<T>& edges, const T* q,
                         const T* adt, T* res, Stream& stream) = 0;
  /// q = q_old - res / adt; res = 0; change[c] = |res / adt|^2 unless change is null (rms is the
  /// root of its mean in an iteration's second stage).
  virtual void update(ElementRange cells, const T* q_old, const T* adt, T* q, T* res, T* change,
                      Stream& stream) = 0;
  /// The same, then adt from the new q.
  virtual void update_adt(ElementRange cells, const AirfoilCells<T>& where, const T* q_old, T* adt,
                          T* q, T* res, T* change, Stream& stream) = 0;

  /// res = the fluxes through the cells' sides: what res_calc and bres_calc of all their edges add.
  virtual void gather_res(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q,
                          const T* adt, T* res, Stream& stream) = 0;
  /// The same and update_adt of it in one: to q_new and adt_new, neither of which is q or adt, as
  /// neighbours read those. q_old may be q or q_new.
  virtual void stage(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q_old,
                     const T* q, const T* adt, T* q_new, T* adt_new, Stream& stream) = 0;

  /// The sum of values[c] in double precision, parts of fixed size in a fixed order: the same to
  /// the bit in every run and with any number of threads. Blocks.
  [[nodiscard]] virtual double sum(ElementRange cells, const T* values, Stream& stream) = 0;
  /// Sums of values[4 c + k], each times weights[c] unless that is null (adt; or 0 for cells at the
  /// wall, else 1), in such an order. Blocks.
  [[nodiscard]] virtual AirfoilSums sums(ElementRange cells, const T* values, const T* weights,
                                         Stream& stream) = 0;
  /// Sum (mod 2^64) of a hash of each value's bits, k, and the cell's number in the whole mesh: the
  /// same for every distribution of the same bits. Blocks.
  [[nodiscard]] virtual std::uint64_t fingerprint(ElementRange cells, const T* values,
                                                  const std::int64_t* global, Stream& stream) = 0;
};

}  // namespace bellwether
