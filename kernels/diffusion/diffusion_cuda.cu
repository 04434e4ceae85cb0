// SPDX-License-Identifier: MIT
#include "kernels/diffusion/diffusion_kernels.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/launch/cuda/cuda_stencil.cuh"

namespace bellwether {

template <class T>
__device__ cuda::StarRows<T> star_rows(const DiffusionRow<T>& row) {
  return {row.centre, row.south, row.north, row.below, row.above};
}
template <class T>
__device__ DiffusionRow<T> with_rows(const DiffusionRow<T>& row, const cuda::StarRows<T>& rows) {
  return {rows.centre, rows.south, rows.north, rows.below, rows.above, row.wrap, row.c};
}
template <class T>
__device__ int wrapped_cells(const DiffusionRow<T>& row) {
  return row.wrap;
}

namespace {

struct DiffusionOnCuda : cuda::Loops {
  using cuda::Loops::Loops;

  template <class T>
  void store(const GridLayout& layout, const Boxes& boxes, T* out, const DiffusionBody<T>& body,
             SweepWay way, Stream& stream) {
    cuda::store_star("diffusion update", body, out, layout, boxes, way.stores, stream);
  }
};

}  // namespace

template <>
std::unique_ptr<DiffusionKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<DiffusionKernelsOn<float, DiffusionOnCuda>>(device);
}
template <>
std::unique_ptr<DiffusionKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<DiffusionKernelsOn<double, DiffusionOnCuda>>(device);
}

}  // namespace bellwether
