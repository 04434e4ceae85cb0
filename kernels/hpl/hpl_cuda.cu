// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "kernels/dense/cublas.hpp"
#include "kernels/dense/cublas_places.hpp"
#include "kernels/hpl/hpl.hpp"
#include "kernels/hpl/hpl_panel_cuda.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"

namespace bellwether {
namespace {

using cuda::block_threads;

/// A block takes so many words of a row for each of its threads, a block's width apart: all loads
/// are in flight before a store.
constexpr int words_of_thread = 4;
constexpr long words_of_block = long{words_of_thread} * block_threads;

__global__ void __launch_bounds__(block_threads)
    fill_kernel(double* a, long ld, HplPart part, unsigned blocks_of_row) {
  const long row = blockIdx.x / blocks_of_row;
  const long first = blockIdx.x % blocks_of_row * words_of_block + threadIdx.x;
  const auto global_row = static_cast<std::uint64_t>(part.rows.global(row));
#pragma unroll
  for (int n = 0; n < words_of_thread; ++n) {
    const long column = first + n * block_threads;
    if (column >= part.column_count) continue;
    const auto global_column = static_cast<std::uint64_t>(part.columns.global(column));
    a[row * ld + column] = hpl_element(global_row, global_column);
  }
}

__device__ double* row_of(const HplRows& rows, long n) {
  return rows.values + (rows.list == nullptr ? n : rows.list[n]) * rows.ld;
}

/// Word: double, or double2 where rows are aligned to it.
template <class Word>
__global__ void __launch_bounds__(block_threads)
    copy_rows_kernel(HplRows to, HplRows from, long columns, unsigned blocks_of_row) {
  constexpr int size = sizeof(Word) / sizeof(double);
  const long row = blockIdx.x / blocks_of_row;
  const long first = blockIdx.x % blocks_of_row * words_of_block + threadIdx.x;
  const long words = columns / size;
  if (to.list != nullptr && to.list[row] < 0) return;
  double* const target = row_of(to, row);
  const double* const source = row_of(from, row);
  Word word[words_of_thread] = {};
#pragma unroll
  for (int n = 0; n < words_of_thread; ++n) {
    const long at = first + n * block_threads;
    if (at < words) word[n] = reinterpret_cast<const Word*>(source)[at];
  }
#pragma unroll
  for (int n = 0; n < words_of_thread; ++n) {
    const long at = first + n * block_threads;
    if (at < words) reinterpret_cast<Word*>(target)[at] = word[n];
  }
  if (first < columns - words * size) target[words * size + first] = source[words * size + first];
}

constexpr int tile = 32;
constexpr int tile_rows = block_threads / tile;  // that a block moves at once

/// to(j, i) = from(i, j), both row-major; `from` is rows x columns. A block turns a tile, with a
/// word beside each of its rows so that a column's words lie in different banks.
__global__ void __launch_bounds__(block_threads)
    transpose_kernel(double* to, long ld_to, const double* from, long ld_from, long rows,
                     long columns, unsigned tiles_of_row) {
  __shared__ double words[tile][tile + 1];
  const int x = static_cast<int>(threadIdx.x) % tile, y = static_cast<int>(threadIdx.x) / tile;
  const long first_row = blockIdx.x / tiles_of_row * long{tile};
  const long first_column = blockIdx.x % tiles_of_row * long{tile};
#pragma unroll
  for (int n = y; n < tile; n += tile_rows)
    if (first_row + n < rows && first_column + x < columns)
      words[n][x] = from[(first_row + n) * ld_from + first_column + x];
  __syncthreads();
#pragma unroll
  for (int n = y; n < tile; n += tile_rows)
    if (first_column + n < columns && first_row + x < rows)
      to[(first_column + n) * ld_to + first_row + x] = words[x][n];
}

/// Rows for which a block looks up a column and its x once.
constexpr int rows_of_block = 4;

/// Sums in an order that only the count of columns decides: a thread's columns, then the threads of
/// a warp by halves, then the warps.
__global__ void __launch_bounds__(block_threads)
    row_sums_kernel(double* product, double* sizes, const double* x, HplPart part) {
  constexpr int warps = block_threads / 32;
  __shared__ double of_warps[2 * rows_of_block][warps];
  const long first = long{blockIdx.x} * rows_of_block;
  std::uint64_t rows[rows_of_block];
  double sums[2 * rows_of_block] = {};  // products, then sizes
#pragma unroll
  for (int n = 0; n < rows_of_block; ++n)
    rows[n] = static_cast<std::uint64_t>(part.rows.global(first + n));
  for (long column = threadIdx.x; column < part.column_count; column += block_threads) {
    const auto global_column = static_cast<std::uint64_t>(part.columns.global(column));
    const double factor = x[column];
#pragma unroll
    for (int n = 0; n < rows_of_block; ++n) {
      const double element = hpl_element(rows[n], global_column);
      sums[n] += element * factor;
      sums[rows_of_block + n] += absolute(element);
    }
  }
#pragma unroll
  for (int n = 0; n < 2 * rows_of_block; ++n) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
      sums[n] += __shfl_down_sync(0xffffffffu, sums[n], distance);
    if (threadIdx.x % warpSize == 0) of_warps[n][threadIdx.x / warpSize] = sums[n];
  }
  __syncthreads();
  const int n = static_cast<int>(threadIdx.x);
  const long row = first + n % rows_of_block;
  if (n >= 2 * rows_of_block || row >= part.row_count) return;
  double sum = 0;
  for (int warp = 0; warp < warps; ++warp) sum += of_warps[n][warp];
  (n < rows_of_block ? product : sizes)[row] = sum;
}

/// Blocks of `size` that cover a length of at least 1.
long blocks_of(long length, long size) { return (length + size - 1) / size; }

bool is_aligned(const HplRows& rows) {
  return reinterpret_cast<std::uintptr_t>(rows.values) % sizeof(double2) == 0 && rows.ld % 2 == 0;
}

class CudaHpl final : public HplKernels {
 public:
  void prepare(Stream& stream) override { cublas().prepare(cuda::queue_of(stream)); }
  [[nodiscard]] std::string library() const override {
    return cublas_ ? cublas_->library() : std::string();
  }

  [[nodiscard]] std::unique_ptr<HplDevicePanel> make_device_panel(Device& device, DevicePanelBy by,
                                                                  long rows, int width,
                                                                  Stream& stream) override {
    return make_cuda_panel(device, cublas(), by, rows, width, stream);
  }

  void fill(double* a, long ld, const HplPart& part, Stream& stream) override {
    if (part.row_count == 0 || part.column_count == 0) return;
    const long blocks_of_row = blocks_of(part.column_count, words_of_block);
    cuda::launch_blocks("hpl fill", static_cast<std::size_t>(part.row_count * blocks_of_row),
                        stream, fill_kernel, a, ld, part, static_cast<unsigned>(blocks_of_row));
  }
  void take_panel(double* l, long ldl, const double* a, long ld, long rows, long columns,
                  Stream& stream) override {
    transpose("hpl take_panel", l, ldl, a, ld, rows, columns, stream);
  }
  void put_panel(double* a, long ld, const double* l, long ldl, long rows, long columns,
                 Stream& stream) override {
    transpose("hpl put_panel", a, ld, l, ldl, columns, rows, stream);
  }
  void copy_rows(const HplRows& to, const HplRows& from, long count, long columns,
                 Stream& stream) override {
    if (count == 0 || columns == 0) return;
    const bool aligned = is_aligned(to) && is_aligned(from);
    const long blocks_of_row = blocks_of(aligned ? (columns + 1) / 2 : columns, words_of_block);
    cuda::launch_blocks("hpl copy_rows", static_cast<std::size_t>(count * blocks_of_row), stream,
                        aligned ? copy_rows_kernel<double2> : copy_rows_kernel<double>, to, from,
                        columns, static_cast<unsigned>(blocks_of_row));
  }

  // What is row-major here is its transpose to cuBLAS.

  void multiply_triangle(double* u, long ldu, const double* x, long size, const double* w, long ldw,
                         long columns, Stream& stream) override {
    if (size == 0 || columns == 0) return;
    // In up to four strips of rows, that most of the half that is 0 is left out.
    const long strip = std::max(32L, blocks_of(size, 32) * 8);
    for (long first = 0; first < size; first += strip) {
      const long end = std::min(first + strip, size);
      cublas().multiply_transposed(columns, end - first, end, 1, w, ldw, x + first, size, 0,
                                   u + first * ldu, ldu, cuda::queue_of(stream));
    }
  }
  void solve_triangle(double* u, long ldu, const double* l, long ldl, long size, long columns,
                      Stream& stream) override {
    if (size == 0 || columns == 0) return;
    cublas().solve_from_right(columns, size, l, ldl, u, ldu, cuda::queue_of(stream));
  }
  void subtract_product(double* c, long ldc, const double* l, long ldl, const double* u, long ldu,
                        long rows, long columns, long inner, Stream& stream) override {
    if (rows == 0 || columns == 0 || inner == 0) return;
    cublas().multiply_transposed(columns, rows, inner, -1, u, ldu, l, ldl, 1, c, ldc,
                                 cuda::queue_of(stream));
  }
  void subtract_from(double* y, const double* a, long ld, const double* x, long rows, long columns,
                     Stream& stream) override {
    if (rows == 0 || columns == 0) return;
    cublas().subtract_transposed(columns, rows, a, ld, x, y, cuda::queue_of(stream));
  }
  void solve_upper(double* x, const double* a, long ld, long size, Stream& stream) override {
    if (size == 0) return;
    cublas().solve_transposed(size, a, ld, x, cuda::queue_of(stream));
  }

  void row_sums(double* product, double* sizes, const double* x, const HplPart& part,
                Stream& stream) override {
    if (part.row_count == 0) return;
    cuda::launch_blocks("hpl row_sums",
                        static_cast<std::size_t>(blocks_of(part.row_count, rows_of_block)), stream,
                        row_sums_kernel, product, sizes, x, part);
  }

 private:
  Cublas& cublas() {
    if (!cublas_) cublas_.emplace(cublas_files());
    return *cublas_;
  }
  static void transpose(const char* name, double* to, long ld_to, const double* from, long ld_from,
                        long rows, long columns, Stream& stream) {
    if (rows == 0 || columns == 0) return;
    const long tiles_of_row = blocks_of(columns, tile);
    cuda::launch_blocks(name, static_cast<std::size_t>(blocks_of(rows, tile) * tiles_of_row),
                        stream, transpose_kernel, to, ld_to, from, ld_from, rows, columns,
                        static_cast<unsigned>(tiles_of_row));
  }

  std::optional<Cublas> cublas_;
};

}  // namespace

template <>
std::unique_ptr<HplKernels> make_cuda_kernels(Device&) {
  return std::make_unique<CudaHpl>();
}

}  // namespace bellwether
