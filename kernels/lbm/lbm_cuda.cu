// SPDX-License-Identifier: MIT
#include "kernels/launch/cuda/cuda_knobs.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/lbm/lbm_kernels.hpp"
#include "kernels/lbm/lbm_update.hpp"

namespace bellwether {
namespace {

template <class T>
using UpdateBlocks =
    cuda::CellBlocks<launch::BlockShape{BELLWETHER_LBM_THREADS, BELLWETHER_LBM_THREADS},
                     sizeof(T) == 4 ? BELLWETHER_LBM_RESIDENT_F32 : BELLWETHER_LBM_RESIDENT_F64>;

struct LbmOnCuda : cuda::Loops {
  using cuda::Loops::Loops;

  template <class T>
  void update(const LbmGrid& grid, const Boxes& boxes, T* f, int parity,
              const LbmCollision<T>& collision, Prefetch /*prefetch*/, Stream& stream) {
    with_device_update(grid, f, parity, collision, [&](const auto& vector) {
      cuda::for_each_vector<UpdateBlocks<T>>("lbm update", boxes, vector.cells, vector, stream);
    });
  }
  template <class T>
  void bounce(const LbmBounce<T>& link, std::size_t count, Stream& stream) {
    items("lbm bounce", count, link, stream);
  }
  template <class T>
  void clear(const LbmLayout& layout, T* f, Stream& stream) {
    Loops::clear(f, layout.elements(), stream);
  }
};

}  // namespace

template <>
std::unique_ptr<LbmKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<LbmKernelsOn<float, LbmOnCuda>>(device);
}
template <>
std::unique_ptr<LbmKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<LbmKernelsOn<double, LbmOnCuda>>(device);
}

}  // namespace bellwether
