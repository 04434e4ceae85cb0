// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "miniapps/airfoil/airfoil_iteration.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/driver/constant_arrays.hpp"

namespace bellwether {

/// One rank's part of the mesh and of the flow on a device. T is float or double.
template <class T>
class AirfoilArrays {
 public:
  /// Copies the mesh; edges and boundary edges in the orders of their schedules, or for gathers
  /// what lies round the cells in place of the edges. Blocks until it is there.
  AirfoilArrays(Device& device, const AirfoilLocal& local, bool gathers,
                const std::vector<int>& edges, const std::vector<int>& bedges,
                AirfoilKernels<T>& kernels, Stream& stream);
  /// What the constructor allocates at the most, on the device.
  static std::size_t bytes(const LocalMesh& mesh, bool gathers);

  [[nodiscard]] AirfoilCells<T> cells() const {
    return {cell_nodes_.data(), positions_.data(), perimeters_.data()};
  }
  [[nodiscard]] AirfoilEdges<T> edges() const { return {edge_cells_.data(), sides_.data()}; }
  [[nodiscard]] AirfoilBoundary<T> boundary() const {
    return {bedge_cells_.data(), flags_.data(), outer_sides_.data()};
  }
  [[nodiscard]] AirfoilSurroundings<T> round() const { return {cells(), surroundings_.data()}; }
  /// Of every local cell: q (one of two), adt (likewise, for gathers), res.
  [[nodiscard]] T* of(AirfoilData data) const { return values_[data].data(); }
  /// Of own cells: |res / adt|^2 of the last update; 1, or 0 at the airfoil's wall; and the number
  /// in the whole mesh.
  [[nodiscard]] T* change() const { return change_.data(); }
  [[nodiscard]] const T* away_from_wall() const { return away_.data(); }
  [[nodiscard]] const std::int64_t* global() const { return global_.data(); }

  /// All but the flow: mesh, maps and what is made of them.
  void add_to(ConstantArrays& constants) const;

  [[nodiscard]] ElementRange own() const { return {0, own_}; }
  [[nodiscard]] ElementRange all() const { return {0, all_}; }

 private:
  std::int32_t own_, all_;
  Buffer<std::int32_t> cell_nodes_, edge_cells_, bedge_cells_, flags_;
  Buffer<std::uint32_t> surroundings_;
  Buffer<std::int64_t> global_;
  Buffer<T> positions_, perimeters_, sides_, outer_sides_, change_, away_;
  std::array<Buffer<T>, 5> values_;  ///< by AirfoilData
};

}  // namespace bellwether
