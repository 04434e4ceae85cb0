// SPDX-License-Identifier: MIT
#include "kernels/diffusion/diffusion_checks.hpp"
#include "kernels/diffusion/diffusion_lanes.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

namespace bellwether {
namespace {

template <class T>
class KokkosDiffusion final : public DiffusionKernels<T> {
 public:
  void update(const DiffusionGrid& grid, const Boxes& boxes, const T* from, T* to,
              const DiffusionCoefficients<T>& coefficients, SweepWay way, Stream& stream) override {
    launch::store_each(kokkos_exec(stream), grid.layout, boxes, to + grid.layout.origin(),
                       diffusion_body(grid, from, coefficients), way);
  }
  void set_mode(const GridLayout& layout, T* field, const SeparableMode& mode,
                Stream& stream) override {
    const Box interior = layout.interior();
    const std::ptrdiff_t row_pitch = layout.row_pitch(), plane_pitch = layout.plane_pitch();
    const auto elements = static_cast<std::int64_t>(layout.elements());
    Kokkos::parallel_for(
        launch::Items(kokkos_exec(stream), 0, elements),
        KOKKOS_LAMBDA(std::int64_t at) { field[at] = T(0); });
    T* const cells = field + layout.origin();
    launch::for_each(
        kokkos_exec(stream), interior, KOKKOS_LAMBDA(int i, int j, int k) {
          cells[i + j * row_pitch + k * plane_pitch] =
              static_cast<T>(mode.x[i] * mode.y[j] * mode.z[k]);
        });
  }
  double largest_error(const GridLayout& layout, const T* field, const SeparableMode& mode,
                       double amplitude, Stream& stream) override {
    return launch::largest(kokkos_exec(stream), layout.interior(),
                           mode_error(layout, field, mode, amplitude));
  }
  std::uint64_t fingerprint(const GridLayout& layout, const T* field, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return launch::sum(kokkos_exec(stream), layout.interior(),
                       field_hash(layout, field, offset, global_cells));
  }
};

}  // namespace

template <>
std::unique_ptr<DiffusionKernels<float>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosDiffusion<float>>();
}
template <>
std::unique_ptr<DiffusionKernels<double>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosDiffusion<double>>();
}

}  // namespace bellwether
