// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>
#include <string>

#include "kernels/dense/cublas.hpp"
#include "kernels/dense/cublas_places.hpp"
#include "kernels/dense/dense.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/device.hpp"

namespace bellwether {
namespace {

using cuda::block_threads;

/// Chains of a thread, independent of one another.
constexpr int chains = 8;

template <class T>
__global__ void __launch_bounds__(block_threads)
    multiply_add_kernel(long repeats, T factor, T addend, T* out) {
  const std::size_t item = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  T x[chains];
  for (int c = 0; c < chains; ++c)
    x[c] = static_cast<T>(1) + static_cast<T>(0.1) * static_cast<T>(c + threadIdx.x % 8);
#pragma unroll 16
  for (long r = 0; r < repeats; ++r)
    for (int c = 0; c < chains; ++c) x[c] = fma(x[c], factor, addend);
  T total = 0;
  for (int c = 0; c < chains; ++c) total += x[c];
  out[item] = total;
}

template <class T>
class CudaDense final : public DenseKernels<T> {
 public:
  /// As many blocks as run at once: the pipelines are full, and all blocks end together.
  CudaDense() {
    int resident = 0;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, multiply_add_kernel<T>,
                                                              block_threads, 0),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    blocks_ = static_cast<std::size_t>(cuda::multiprocessors()) * resident;
  }

  void multiply_add(long repeats, T* out, Stream& stream) override {
    // x = x a + b converges to b / (1 - a) = 1 and stays an ordinary number. Arguments of the
    // kernel, so that the compiler knows nothing about them.
    cuda::launch_blocks("multiply_add", blocks_, stream, multiply_add_kernel<T>, repeats,
                        static_cast<T>(0.999), static_cast<T>(0.001), out);
  }
  [[nodiscard]] std::size_t out_size() const override { return blocks_ * block_threads; }
  [[nodiscard]] double multiply_add_flops(long repeats) const override {
    return 2.0 * static_cast<double>(repeats) * chains * static_cast<double>(out_size());
  }
  void prepare_gemm() override {
    if (!cublas_) cublas_.emplace(cublas_files());
  }
  [[nodiscard]] std::string gemm_library() const override {
    return cublas_ ? cublas_->library() : std::string();
  }
  void gemm(int n, const T* a, const T* b, T* c, Stream& stream) override {
    prepare_gemm();
    cublas_->gemm(n, a, b, c, cuda::queue_of(stream));
  }

 private:
  std::size_t blocks_ = 0;
  std::optional<Cublas> cublas_;
};

}  // namespace

template <>
std::unique_ptr<DenseKernels<float>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaDense<float>>();
}
template <>
std::unique_ptr<DenseKernels<double>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaDense<double>>();
}

}  // namespace bellwether
