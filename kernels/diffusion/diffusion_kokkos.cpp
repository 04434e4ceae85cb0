// SPDX-License-Identifier: MIT
#include "kernels/diffusion/diffusion_kernels.hpp"
#include "kernels/diffusion/diffusion_lanes.hpp"
#include "kernels/launch/kokkos/kokkos_launcher.hpp"

namespace bellwether {
namespace {

struct DiffusionOnKokkos : launch::KokkosLoops {
  using KokkosLoops::KokkosLoops;

  template <class T>
  void store(const GridLayout& layout, const Boxes& boxes, T* out, const DiffusionBody<T>& body,
             SweepWay way, Stream& stream) {
    launch::store_each(kokkos_exec(stream), layout, boxes, out + layout.origin(), body, way);
  }
};

}  // namespace

template <>
std::unique_ptr<DiffusionKernels<float>> make_kokkos_kernels(Device& device) {
  return std::make_unique<DiffusionKernelsOn<float, DiffusionOnKokkos>>(device);
}
template <>
std::unique_ptr<DiffusionKernels<double>> make_kokkos_kernels(Device& device) {
  return std::make_unique<DiffusionKernelsOn<double, DiffusionOnKokkos>>(device);
}

}  // namespace bellwether
