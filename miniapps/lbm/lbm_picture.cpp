// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_picture.hpp"

#include <algorithm>
#include <vector>

#include "miniapps/stencil/vtk_image.hpp"

namespace bellwether {
namespace {

enum Array : std::size_t { density, velocity };

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
  VtkImage image(comm, path, decomposition.cells(), {{"density", 1}, {"velocity", 3}});
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
    image.write(density, box, values.data());
    image.write(velocity, box, values.data() + most);
  }
  image.finish();
}

template void write_lbm_picture(const std::string&, MPI_Comm, Device&, LbmKernels<float>&,
                                const LbmGrid&, const float*, int, const LbmCollision<float>&,
                                const Decomposition&, Stream&);
template void write_lbm_picture(const std::string&, MPI_Comm, Device&, LbmKernels<double>&,
                                const LbmGrid&, const double*, int, const LbmCollision<double>&,
                                const Decomposition&, Stream&);

}  // namespace bellwether
