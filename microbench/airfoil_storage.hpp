// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// Arrays of a mesh begin on pages, as a mini-app's do.
constexpr std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

/// Bytes of the arrays that AirfoilIterations takes for a mesh, in the wider precision.
inline std::size_t airfoil_storage_bytes(const AirfoilMesh& mesh) {
  const auto bytes = [](std::int64_t elements, std::size_t each) {
    return whole_pages(static_cast<std::size_t>(elements) * each);
  };
  constexpr std::size_t value = sizeof(double), index = sizeof(std::int32_t);
  const std::int64_t cells = mesh.cells(), edges = mesh.edges(), outer = mesh.boundary_edges();
  return 3 * bytes(cells, 4 * value) + 2 * bytes(cells, value) + bytes(cells, 4 * index) +
         bytes(mesh.nodes(), 2 * value) + 2 * bytes(edges, 2 * index) + bytes(edges, 2 * value) +
         bytes(outer, 2 * index) + 2 * bytes(outer, index) + bytes(outer, 2 * value);
}

}  // namespace bellwether
