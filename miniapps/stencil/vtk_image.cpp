// SPDX-License-Identifier: MIT
#include "miniapps/stencil/vtk_image.hpp"

#include <fmt/format.h>

#include <utility>

namespace bellwether {
namespace {

VtkContent image_of(const std::array<int, 3>& cells, const std::vector<VtkImage::Array>& arrays) {
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", cells[0], cells[1], cells[2]);
  VtkContent::Section values{"CellData", {}};
  for (const VtkImage::Array& array : arrays)
    values.arrays.push_back({array.name, array.components,
                             static_cast<unsigned long long>(cells[0]) * cells[1] * cells[2]});
  return {"ImageData",
          fmt::format(" WholeExtent=\"{}\" Origin=\"0 0 0\" Spacing=\"1 1 1\"", extent),
          fmt::format(" Extent=\"{}\"", extent),
          {std::move(values)}};
}

/// The box's cells within the grid's, each of `components` values.
MPI_Datatype part_of_grid(const std::array<int, 3>& cells, const Box& box, MPI_Datatype cell) {
  // MPI's first dimension is the slowest.
  const std::array<int, 3> all{cells[2], cells[1], cells[0]},
      extents{box.extent(2), box.extent(1), box.extent(0)},
      first{box.low[2], box.low[1], box.low[0]};
  MPI_Datatype part = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, all.data(), extents.data(), first.data(), MPI_ORDER_C, cell, &part);
  MPI_Type_commit(&part);
  return part;
}

}  // namespace

VtkImage::VtkImage(MPI_Comm comm, std::string path, std::array<int, 3> cells,
                   const std::vector<Array>& arrays)
    : cells_(cells), arrays_(arrays), file_(comm, std::move(path), image_of(cells, arrays)) {}

void VtkImage::write(std::size_t array, const Box& box, const float* values) {
  MPI_Datatype cell = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(arrays_[array].components, MPI_FLOAT, &cell);
  MPI_Type_commit(&cell);
  const bool something = !box.empty();
  MPI_Datatype part = something ? part_of_grid(cells_, box, cell) : cell;
  file_.write(array, cell, part, box.cells(), values);
  if (something) MPI_Type_free(&part);
  MPI_Type_free(&cell);
}

}  // namespace bellwether
