// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "miniapps/driver/vtk_file.hpp"

namespace bellwether {
namespace {

enum Array : std::size_t { density, velocity };
constexpr int components[] = {1, 3};

/// A grid of unit cells.
VtkContent image_of(const std::array<int, 3>& cells) {
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", cells[0], cells[1], cells[2]);
  const unsigned long long count = 1ULL * cells[0] * cells[1] * cells[2];
  return {"ImageData",
          fmt::format(" WholeExtent=\"{}\" Origin=\"0 0 0\" Spacing=\"1 1 1\"", extent),
          fmt::format(" Extent=\"{}\"", extent),
          {{"CellData",
            {{"density", components[density], count}, {"velocity", components[velocity], count}}}}};
}

/// The box's cells within the grid's.
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

/// Collective. An array's values in a box of global cells, x fastest, the components of a cell
/// together. An empty box adds nothing.
void write(VtkFile& file, const std::array<int, 3>& all, Array array, const Box& box,
           const float* values) {
  MPI_Datatype cell = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(components[array], MPI_FLOAT, &cell);
  MPI_Type_commit(&cell);
  const bool something = !box.empty();
  MPI_Datatype part = something ? part_of_grid(all, box, cell) : cell;
  file.write(array, cell, part, box.cells(), values);
  if (something) MPI_Type_free(&part);
  MPI_Type_free(&cell);
}

/// Planes of a subdomain that are written at once: 16 bytes a cell, on the device and on the host.
int planes_at_once(const std::array<int, 3>& cells) {
  constexpr long long most_cells = 1 << 22;
  return static_cast<int>(
      std::clamp(most_cells / (1LL * cells[0] * cells[1]), 1LL, static_cast<long long>(cells[2])));
}

int rounds_of(const std::array<int, 3>& cells) {
  const int planes = planes_at_once(cells);
  return (cells[2] + planes - 1) / planes;
}

}  // namespace

template <class T>
void write_lbm_picture(const std::string& path, MPI_Comm comm, Device& device,
                       LbmKernels<T>& kernels, const LbmGrid& grid, const T* f, int parity,
                       const LbmCollision<T>& collision, const Decomposition& decomposition,
                       Stream& stream) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::array<int, 3> cells = grid.layout.cells(), first = decomposition.offset(rank);
  const int planes = planes_at_once(cells);
  int rounds = rounds_of(cells);
  MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT, MPI_MAX, comm);

  const std::size_t most = Box{{0, 0, 0}, {cells[0], cells[1], planes}}.cells();
  const Buffer<float> on_device(device, 4 * most);
  std::vector<float> values(4 * most);
  const std::array<int, 3> all = decomposition.cells();
  VtkFile file(comm, path, image_of(all));
  for (int round = 0; round < rounds; ++round) {
    Box box{{0, 0, 0}, cells};
    box.low[2] = std::min(cells[2], round * planes);
    box.high[2] = std::min(cells[2], box.low[2] + planes);
    if (!box.empty()) {
      kernels.macroscopic(grid, box, f, parity, collision, on_device.data(),
                          on_device.data() + most, stream);
      device.copy(values.data(), on_device.data(), on_device.bytes(), stream);
      device.fence(stream);
    }
    for (int d = 0; d < 3; ++d) {
      box.low[d] += first[d];
      box.high[d] += first[d];
    }
    write(file, all, density, box, values.data());
    write(file, all, velocity, box, values.data() + most);
  }
  file.finish();
}

template void write_lbm_picture(const std::string&, MPI_Comm, Device&, LbmKernels<float>&,
                                const LbmGrid&, const float*, int, const LbmCollision<float>&,
                                const Decomposition&, Stream&);
template void write_lbm_picture(const std::string&, MPI_Comm, Device&, LbmKernels<double>&,
                                const LbmGrid&, const double*, int, const LbmCollision<double>&,
                                const Decomposition&, Stream&);

}  // namespace bellwether
