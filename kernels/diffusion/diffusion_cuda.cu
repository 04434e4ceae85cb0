// SPDX-License-Identifier: MIT
#include <bit>

#include "kernels/diffusion/diffusion_checks.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/launch/cuda/cuda_stencil.cuh"
#include "kernels/launch/device.hpp"

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

template <class T>
struct SetCell {
  T* field;  ///< cell (0, 0, 0)
  std::ptrdiff_t row_pitch, plane_pitch;
  SeparableMode mode;

  __device__ void operator()(int i, int j, int k) const {
    field[i + j * row_pitch + k * plane_pitch] = static_cast<T>(mode.x[i] * mode.y[j] * mode.z[k]);
  }
};

/// Errors as 64-bit integers: for numbers that are not negative, infinity included, the bits are in
/// the numbers' order.
template <class T>
struct ErrorBits {
  ModeError<T> error;
  __device__ std::uint64_t operator()(int i, int j, int k) const {
    return static_cast<std::uint64_t>(__double_as_longlong(error(i, j, k)));
  }
};

template <class T>
class CudaDiffusion final : public DiffusionKernels<T> {
 public:
  explicit CudaDiffusion(Device& device) : reducer_(device) {}

  void update(const DiffusionGrid& grid, const Boxes& boxes, const T* from, T* to,
              const DiffusionCoefficients<T>& coefficients, SweepWay way, Stream& stream) override {
    cuda::store_star("diffusion update", diffusion_body(grid, from, coefficients), to, grid.layout,
                     boxes, way.stores, stream);
  }
  void set_mode(const GridLayout& layout, T* field, const SeparableMode& mode,
                Stream& stream) override {
    cuda::check(cudaMemsetAsync(field, 0, layout.elements() * sizeof(T), cuda::queue_of(stream)),
                "cudaMemsetAsync");
    cuda::for_each_cell(
        "diffusion set_mode", layout.interior(),
        SetCell<T>{field + layout.origin(), layout.row_pitch(), layout.plane_pitch(), mode},
        stream);
  }
  double largest_error(const GridLayout& layout, const T* field, const SeparableMode& mode,
                       double amplitude, Stream& stream) override {
    const ErrorBits<T> error{mode_error(layout, field, mode, amplitude)};
    return std::bit_cast<double>(reducer_.reduce<cuda::Largest>("diffusion largest_error",
                                                                layout.interior(), error, stream));
  }
  std::uint64_t fingerprint(const GridLayout& layout, const T* field, std::array<int, 3> offset,
                            std::array<int, 3> global_cells, Stream& stream) override {
    return reducer_.reduce<cuda::Sum>("diffusion fingerprint", layout.interior(),
                                      field_hash(layout, field, offset, global_cells), stream);
  }

 private:
  cuda::CellReducer reducer_;
};

}  // namespace

template <>
std::unique_ptr<DiffusionKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaDiffusion<float>>(device);
}
template <>
std::unique_ptr<DiffusionKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<CudaDiffusion<double>>(device);
}

}  // namespace bellwether
