// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_picture.hpp"

#include <fmt/format.h>

#include <numeric>

#include "kernels/airfoil/airfoil_gas.hpp"
#include "miniapps/mesh/distribute.hpp"

namespace bellwether {
namespace {

/// In the order in which the file has them.
enum Array : std::size_t { points, connectivity, offsets, types, density };
constexpr int cell_corners = 4;

VtkContent grid_of(unsigned long long nodes, unsigned long long cells) {
  return {"UnstructuredGrid",
          "",
          fmt::format(" NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", nodes, cells),
          {{"Points", {{"points", 3, nodes, "Float32"}}},
           {"Cells",
            {{"connectivity", 1, cell_corners * cells, "Int64"},
             {"offsets", 1, cells, "Int64"},
             {"types", 1, cells, "UInt8"}}},
           {"CellData",
            {{"density", 1, cells, "Float32"},
             {"velocity", 3, cells, "Float32"},
             {"energy", 1, cells, "Float32"},
             {"pressure", 1, cells, "Float32"},
             {"rank", 1, cells, "Int32"},
             {"cell", 1, cells, "Int32"}}}}};
}

/// Density, velocity in x, y and z, energy, pressure of each cell. In the plane z = 0.
struct Fields {
  std::vector<float> density, velocity, energy, pressure;
};
template <class T>
Fields fields_of(const std::vector<T>& q) {
  Fields fields;
  for (std::size_t at = 0; at < q.size(); at += 4) {
    const double rho = q[at], u = q[at + 1] / rho, v = q[at + 2] / rho, energy = q[at + 3];
    fields.density.push_back(static_cast<float>(rho));
    fields.velocity.insert(fields.velocity.end(),
                           {static_cast<float>(u), static_cast<float>(v), 0});
    fields.energy.push_back(static_cast<float>(energy));
    fields.pressure.push_back(
        static_cast<float>((airfoil::gamma - 1) * (energy - rho * (u * u + v * v) / 2)));
  }
  return fields;
}

std::vector<float> points_of(const std::vector<double>& coordinates) {
  std::vector<float> result;
  for (std::size_t at = 0; at < coordinates.size(); at += 2)
    result.insert(result.end(), {static_cast<float>(coordinates[at]),
                                 static_cast<float>(coordinates[at + 1]), 0});
  return result;
}

}  // namespace

template <class T>
void write_airfoil_picture(const VtkTarget& target, MPI_Comm comm, const AirfoilBlocks& blocks,
                           const LocalSet& cells, const std::vector<T>& q) {
  const int ranks = ranks_in(comm), rank = rank_in(comm);
  const Blocks nodes_of = blocks.mesh.blocks(airfoil_nodes, ranks);
  const Blocks cells_of = blocks.mesh.blocks(airfoil_cells, ranks);
  const std::int64_t first = cells_of.first(rank), count = cells_of.size(rank);
  VtkFile file(comm, target, grid_of(nodes_of.total(), cells_of.total()));
  file.write(points, nodes_of.first(rank), nodes_of.size(rank),
             points_of(blocks.coordinates.values).data());
  file.write(connectivity, cell_corners * first, cell_corners * count,
             blocks.mesh.maps[cell_nodes_map].targets.data());
  std::vector<std::int64_t> ends;
  for (std::int64_t cell = first; cell < first + count; ++cell)
    ends.push_back(cell_corners * (cell + 1));
  file.write(offsets, first, count, ends.data());
  constexpr unsigned char quadrilateral = 9;  // VTK_QUAD
  file.write(types, first, count, std::vector<unsigned char>(count, quadrilateral).data());

  const Fields fields = fields_of(block_values(comm, cells, q, 4));
  std::size_t array = density;
  for (const auto* values : {&fields.density, &fields.velocity, &fields.energy, &fields.pressure})
    file.write(array++, first, count, values->data());
  const std::vector<std::int32_t> own(cells.owned(), rank);
  file.write(array++, first, count, block_values(comm, cells, own, 1).data());
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first));
  file.write(array, first, count, numbers.data());
  file.finish();
}

template void write_airfoil_picture(const VtkTarget&, MPI_Comm, const AirfoilBlocks&,
                                    const LocalSet&, const std::vector<float>&);
template void write_airfoil_picture(const VtkTarget&, MPI_Comm, const AirfoilBlocks&,
                                    const LocalSet&, const std::vector<double>&);

}  // namespace bellwether
