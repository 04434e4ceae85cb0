// SPDX-License-Identifier: MIT
#include <cblas.h>

#include "kernels/dense/dense.hpp"
#include "kernels/dense/host_blas.hpp"
#include "kernels/launch/device.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

namespace bellwether {
namespace {

/// Chains of a work item. On a CPU an item fills the registers with vectors: ten independent chains
/// cover a latency of five at two multiply-adds a cycle. On a GPU an item is one thread.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
constexpr int chains = 10;
constexpr std::int64_t device_items = std::int64_t{1} << 20;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};

template <class T>
constexpr int lanes = launch::on_host ? vector_bytes / static_cast<int>(sizeof(T)) : 1;

/// Calls with matrices in host memory; CBLAS has no other, so a device does without.
void host_gemm(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
}
void host_gemm(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
}

template <class T>
class KokkosDense final : public DenseKernels<T> {
 public:
  KokkosDense() {
    if (launch::on_host) use_blas_threads(launch::Exec().concurrency());
  }

  void multiply_add(long repeats, T* out, Stream& stream) override {
    using Value = std::conditional_t<launch::on_host, typename VectorOf<T>::type, T>;
    Kokkos::parallel_for(
        launch::Items(kokkos_exec(stream), 0, items()), KOKKOS_LAMBDA(std::int64_t item) {
          // x = x a + b converges to b / (1 - a) = 1 and stays an ordinary number.
          const T factor = T(0.999), addend = T(0.001);
          Value x[chains];
          for (int c = 0; c < chains; ++c) x[c] = Value{} + T(1) + T(0.1) * T(c);
          for (long r = 0; r < repeats; ++r) {
#pragma GCC unroll 10
            for (int c = 0; c < chains; ++c) x[c] = x[c] * factor + addend;
          }
          Value total = x[0];
          for (int c = 1; c < chains; ++c) total += x[c];
          reinterpret_cast<Value*>(out)[item] = total;
        });
  }
  [[nodiscard]] std::size_t out_size() const override {
    return static_cast<std::size_t>(items()) * lanes<T>;
  }
  [[nodiscard]] double multiply_add_flops(long repeats) const override {
    return 2.0 * static_cast<double>(repeats) * chains * static_cast<double>(out_size());
  }
  void prepare_gemm() override {
    if (!launch::on_host)
      throw std::runtime_error("CBLAS: no matrices in device memory; use --backend cuda");
  }
  void gemm(int n, const T* a, const T* b, T* c, Stream&) override {
    prepare_gemm();
    host_gemm(n, a, b, c);
  }

 private:
  static std::int64_t items() {
    return launch::on_host ? static_cast<std::int64_t>(Exec().concurrency()) : device_items;
  }
  using Exec = launch::Exec;
};

}  // namespace

template <>
std::unique_ptr<DenseKernels<float>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosDense<float>>();
}
template <>
std::unique_ptr<DenseKernels<double>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosDense<double>>();
}

}  // namespace bellwether
