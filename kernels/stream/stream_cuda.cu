// SPDX-License-Identifier: MIT
#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/cuda/cuda_stencil.cuh"
#include "kernels/launch/device.hpp"
#include "kernels/stream/stream_body.hpp"

namespace bellwether {

template <int rereads, class T>
__device__ cuda::StarRows<T> star_rows(const NeighbourRow<rereads, T>& row) {
  return {row.rows[0], row.rows[1], row.rows[2], row.rows[3], row.rows[4]};
}
template <int rereads, class T>
__device__ NeighbourRow<rereads, T> with_rows(const NeighbourRow<rereads, T>& row,
                                              const cuda::StarRows<T>& rows) {
  return {{rows.centre, rows.south, rows.north, rows.below, rows.above}, row.weight};
}
template <int rereads, class T>
__device__ int wrapped_cells(const NeighbourRow<rereads, T>&) {
  return 0;
}

namespace {

using cuda::block_threads;
using cuda::Vector;

/// Vectors that a thread moves, a block's width apart: loads of all are in flight before a store.
constexpr int vectors_per_thread = 4;

template <StreamKernel kernel>
constexpr bool reads_b = values_moved(kernel) == 3;

template <Stores stores, StreamKernel kernel, class T>
__global__ void __launch_bounds__(block_threads)
    stream_kernel(StreamRow<kernel, T> row, T* c, std::size_t n) {
  constexpr int size = Vector<T>::size;
  const std::size_t whole = n / size;  // vectors
  const std::size_t first =
      std::size_t{blockIdx.x} * (block_threads * vectors_per_thread) + threadIdx.x;
  Vector<T> a[vectors_per_thread] = {}, b[vectors_per_thread] = {};
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) {
    const std::size_t at = first + v * block_threads;
    if (at >= whole) continue;
    a[v] = cuda::load_vector(row.a + at * size);
    if constexpr (reads_b<kernel>) b[v] = cuda::load_vector(row.b + at * size);
  }
#pragma unroll
  for (int v = 0; v < vectors_per_thread; ++v) {
    const std::size_t at = first + v * block_threads;
    if (at >= whole) continue;
    const StreamRow<kernel, T> registers{a[v].at, b[v].at, row.scalar};
    Vector<T> result;
    for (int lane = 0; lane < size; ++lane) result.at[lane] = registers(lane);
    cuda::store_vector<stores>(c + at * size, result);
  }
  if (first < n - whole * size) {  // what is left after the last vector, in the first block
    const auto i = static_cast<std::ptrdiff_t>(whole * size + first);
    c[i] = row(i);
  }
}

template <class T>
struct Fill {
  T* a;
  unsigned seed;
  __device__ void operator()(std::size_t i) const { a[i] = scattered_value<T>(i, seed); }
};

/// Vectors of a that a thread each updates; what is left after the last vector goes to as many
/// more.
template <class T>
struct Update {
  T* a;
  T scalar;
  std::size_t vectors;
  __device__ void operator()(std::size_t item) const {
    using Word = typename Vector<T>::Word;
    constexpr int size = Vector<T>::size;
    if (item >= vectors) {
      a[vectors * size + (item - vectors)] *= scalar;
      return;
    }
    auto* const at = reinterpret_cast<Word*>(a) + item;
    Word word = *at;  // not by load_vector: it is written by the same kernel
    word.x *= scalar;
    word.y *= scalar;
    if constexpr (size == 4) {
      word.z *= scalar;
      word.w *= scalar;
    }
    *at = word;
  }
};

template <class T>
class CudaStreamKernels final : public StreamKernels<T> {
 public:
  void run(StreamKernel kernel, const T* a, const T* b, T* c, T scalar, std::size_t n, SweepWay way,
           Stream& stream) override {
    const auto with = [&](auto row) { run_row(row, c, n, way.stores, stream); };
    with_stream_row(kernel, a, b, scalar, with);
  }
  void update(T* a, T scalar, std::size_t n, int /*arrays*/, Prefetch /*prefetch*/,
              Stream& stream) override {
    const std::size_t vectors = n / Vector<T>::size;
    cuda::for_each_item("stream update", vectors + n % Vector<T>::size,
                        Update<T>{a, scalar, vectors}, stream);
  }
  void neighbours(int rereads, const T* from, T* to, const GridLayout& layout, const Box& box,
                  SweepWay way, Stream& stream) override {
    const auto with = [&](auto body) {
      cuda::store_star("stream neighbours", body, to, layout, box, way.stores, stream);
    };
    with_neighbours(rereads, from, layout, with);
  }
  void fill(T* a, std::size_t n, unsigned seed, Stream& stream) override {
    cuda::for_each_item("stream fill", n, Fill<T>{a, seed}, stream);
  }

 private:
  template <StreamKernel kernel>
  static void run_row(const StreamRow<kernel, T>& row, T* c, std::size_t n, Stores stores,
                      Stream& stream) {
    if (n == 0) return;
    const std::size_t vectors = (n + Vector<T>::size - 1) / Vector<T>::size;
    const std::size_t blocks =
        cuda::blocks_for((vectors + vectors_per_thread - 1) / vectors_per_thread);
    const auto compiled = stores == Stores::streaming ? stream_kernel<Stores::streaming, kernel, T>
                                                      : stream_kernel<Stores::cached, kernel, T>;
    cuda::launch_blocks(name_of(kernel), blocks, stream, compiled, row, c, n);
  }
};

}  // namespace

template <>
std::unique_ptr<StreamKernels<float>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaStreamKernels<float>>();
}
template <>
std::unique_ptr<StreamKernels<double>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaStreamKernels<double>>();
}

}  // namespace bellwether
