// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "miniapps/comm/reduce.hpp"

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

/// An array's values in a box of global cells, x fastest, the components of a cell together: by
/// rows, or by planes where the box is as wide as the grid.
void write(VtkFile& file, const std::array<int, 3>& all, Array array, const Box& box,
           const float* values) {
  const bool by_planes = box.extent(0) == all[0];
  const int rows = by_planes ? box.extent(1) : 1;
  const unsigned long long cells = 1ULL * rows * box.extent(0);
  for (int z = box.low[2]; z < box.high[2]; ++z)
    for (int y = box.low[1]; y < box.high[1]; y += rows) {
      const unsigned long long first = (1ULL * z * all[1] + y) * all[0] + box.low[0];
      file.write(array, first, cells, values);
      values += cells * components[array];
    }
}

/// Planes of a subdomain that are written at once: 16 bytes a cell, on the device and on the host.
int planes_at_once(const std::array<int, 3>& cells) {
  constexpr long long most_cells = 1 << 22;
  return static_cast<int>(
      std::clamp(most_cells / (1LL * cells[0] * cells[1]), 1LL, static_cast<long long>(cells[2])));
}

}  // namespace

template <class T>
void write_lbm_picture(const VtkTarget& target, MPI_Comm comm, Device& device,
                       LbmKernels<T>& kernels, const LbmGrid& grid, const T* f, int parity,
                       const LbmCollision<T>& collision, const Decomposition& decomposition,
                       Stream& stream) {
  const int rank = rank_in(comm);
  const std::array<int, 3> cells = grid.layout.cells(), first = decomposition.offset(rank);
  const int planes = planes_at_once(cells);
  const std::size_t most = Box{{0, 0, 0}, {cells[0], cells[1], planes}}.cells();
  const Buffer<float> on_device(device, 4 * most);
  std::vector<float> values(4 * most);
  const std::array<int, 3> all = decomposition.cells();
  VtkFile file(comm, target, image_of(all));
  for (int plane = 0; plane < cells[2]; plane += planes) {
    Box box{{0, 0, plane}, {cells[0], cells[1], std::min(cells[2], plane + planes)}};
    kernels.macroscopic(grid, box, f, parity, collision, on_device.data(), on_device.data() + most,
                        stream);
    device.copy_and_wait(values.data(), on_device.data(), on_device.bytes(), stream);
    for (int d = 0; d < 3; ++d) {
      box.low[d] += first[d];
      box.high[d] += first[d];
    }
    write(file, all, density, box, values.data());
    write(file, all, velocity, box, values.data() + most);
  }
  file.finish();
}

template void write_lbm_picture(const VtkTarget&, MPI_Comm, Device&, LbmKernels<float>&,
                                const LbmGrid&, const float*, int, const LbmCollision<float>&,
                                const Decomposition&, Stream&);
template void write_lbm_picture(const VtkTarget&, MPI_Comm, Device&, LbmKernels<double>&,
                                const LbmGrid&, const double*, int, const LbmCollision<double>&,
                                const Decomposition&, Stream&);

}  // namespace bellwether
