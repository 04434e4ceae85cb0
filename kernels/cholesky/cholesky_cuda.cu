// SPDX-License-Identifier: MIT
#include <optional>

#include "kernels/cholesky/cholesky_body.hpp"
#include "kernels/dense/cublas.hpp"
#include "kernels/dense/cublas_places.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/cuda/cuda_stencil.cuh"

namespace bellwether {
namespace {

using cuda::block_threads;
using cuda::Vector;

/// Vectors that a thread updates, a block's width apart: loads of all are in flight before a store.
constexpr int vectors_of_thread = 4;
template <class T>
constexpr long rows_of_block = long{block_threads} * vectors_of_thread* Vector<T>::size;

template <class T>
__host__ __device__ long parts_of(const CholeskyColumns<T>& columns, long column) {
  const long rows = columns.rows_end() - columns.line_of(columns.single(column));
  return (rows + rows_of_block<T> - 1) / rows_of_block<T>;
}

/// Columns get shorter: a long one and a short one share as many blocks as any other two. Blocks
/// are counted from the last, so that those with nothing to do come before all that have.
template <class T>
__global__ void __launch_bounds__(block_threads)
    subtract_column_kernel(CholeskyColumns<T> columns, long first, long end, const T* l, long l_row,
                           unsigned blocks_of_pair) {
  constexpr int size = Vector<T>::size;
  using Word = typename Vector<T>::Word;
  const unsigned block = gridDim.x - 1 - blockIdx.x;
  const long pair = block / blocks_of_pair;
  long part = block % blocks_of_pair;
  long column = first + pair;
  if (const long parts = parts_of(columns, column); part >= parts) {
    part -= parts;
    column = end - 1 - pair;
    if (column == first + pair || part >= parts_of(columns, column)) return;
  }
  const long k = columns.single(column), rows_end = columns.rows_end();
  const T factor = l[k - l_row];
  const long row =
      columns.line_of(k) + part * rows_of_block<T> + static_cast<long>(threadIdx.x) * size;
  T* const a = columns.values + columns.starts[column];
  Word values[vectors_of_thread] = {};
  Vector<T> from[vectors_of_thread] = {};
#pragma unroll
  for (int v = 0; v < vectors_of_thread; ++v) {
    const long i = row + long{v} * block_threads * size;
    if (i >= rows_end) continue;
    values[v] = *reinterpret_cast<const Word*>(a + i);
    from[v] = cuda::load_vector(l + (i - l_row));
  }
#pragma unroll
  for (int v = 0; v < vectors_of_thread; ++v) {
    const long i = row + long{v} * block_threads * size;
    if (i >= rows_end) continue;
    auto* const lanes = reinterpret_cast<T*>(&values[v]);
    for (int lane = 0; lane < size; ++lane)
      lanes[lane] = updated(lanes[lane], from[v].at[lane], factor);
    *reinterpret_cast<Word*>(a + i) = values[v];
  }
}

template <class T>
struct FillElement {
  CholeskyColumns<T> columns;
  double diagonal;
  long rows;  ///< of the first column
  __device__ void operator()(std::size_t item) const {
    const auto n = static_cast<long>(item);
    const long column = n / rows, i = columns.rows_end() - 1 - n % rows;
    if (i < columns.first_row(column)) return;
    columns.values[columns.starts[column] + i] =
        stored_element(columns, i, columns.dealt.global(column), diagonal);
  }
};

template <class T>
struct Divide {
  T* column;
  long first, row;
  __device__ void operator()(std::size_t item) const {
    const long i = first + static_cast<long>(item);
    if (i != row) column[i] = i < row ? T(0) : quotient(column[i], square_root(column[row]));
  }
};
template <class T>
struct TakeRoot {
  T* diagonal;
  __device__ void operator()(std::size_t) const { *diagonal = square_root(*diagonal); }
};

template <class T>
struct TakeRow {
  CholeskyColumns<T> columns;
  T* w;
  const T* l;
  long ldw, first, count, ldl, l_row;
  __device__ void operator()(std::size_t item) const {
    const long c = static_cast<long>(item) % count, q = static_cast<long>(item) / count;
    w[q * ldw + c] = l[q * ldl + columns.dealt.global(first + c) - l_row];
  }
};

/// Columns of a diagonal block that one block of threads factors, in its shared memory.
constexpr int base_columns = 64;

template <class T>
__global__ void __launch_bounds__(block_threads) factor_base_kernel(T* a, long ld, int n) {
  __shared__ T l[base_columns * base_columns];
  // A warp's threads stand along a column.
  constexpr int step = block_threads / base_columns;
  const int i = static_cast<int>(threadIdx.x) % base_columns;
  const int first = static_cast<int>(threadIdx.x) / base_columns;
  for (int k = first; k < n; k += step)
    if (i >= k && i < n) l[k * base_columns + i] = a[k * ld + i];
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    const T root = square_root(l[j * base_columns + j]);
    __syncthreads();  // All have read it.
    if (first == 0 && i >= j && i < n)
      l[j * base_columns + i] = i == j ? root : quotient(l[j * base_columns + i], root);
    __syncthreads();
    for (int k = j + 1 + first; k <= i && i < n; k += step)
      l[k * base_columns + i] =
          updated(l[k * base_columns + i], l[j * base_columns + i], l[j * base_columns + k]);
  }
  __syncthreads();
  for (int k = first; k < n; k += step)
    if (i >= k && i < n) a[k * ld + i] = l[k * base_columns + i];
}

template <class T>
class CudaCholesky;

/// On a stream.
template <class T>
struct CudaFactor {
  static constexpr long base_columns = bellwether::base_columns;
  CudaCholesky<T>& kernels;
  Stream& stream;
  void factor_base(T* a, long ld, long n) const {
    cuda::launch_blocks("cholesky factor_base", 1, stream, factor_base_kernel<T>, a, ld,
                        static_cast<int>(n));
  }
  template <class... Arguments>
  void solve_triangle(Arguments... arguments) const {
    kernels.solve_triangle(arguments..., stream);
  }
  template <class... Arguments>
  void subtract_product(Arguments... arguments) const {
    kernels.subtract_product(arguments..., stream);
  }
};

template <class T>
class CudaCholesky final : public CholeskyKernels<T> {
 public:
  void fill(const CholeskyColumns<T>& columns, double diagonal, Stream& stream) override {
    if (columns.count == 0) return;
    const long rows = columns.rows_end() - columns.first_row(0);
    cuda::for_each_item("cholesky fill", static_cast<std::size_t>(columns.count * rows),
                        FillElement<T>{columns, diagonal, rows}, stream);
  }
  void scale(T* column, long row, long end, Stream& stream) override {
    const long first = CholeskyColumns<T>::line_of(row);
    cuda::for_each_item("cholesky scale", static_cast<std::size_t>(end - first),
                        Divide<T>{column, first, row}, stream);
    // When all have taken the root of the diagonal.
    cuda::for_each_item("cholesky root", 1, TakeRoot<T>{column + row}, stream);
  }
  void subtract_column(const CholeskyColumns<T>& columns, long first, long end, const T* l,
                       long l_row, Stream& stream) override {
    if (first >= end) return;
    const long pairs = (end - first + 1) / 2;
    const auto blocks_of_pair =
        static_cast<unsigned>(parts_of(columns, first) + parts_of(columns, end - 1) + 2);
    cuda::launch_blocks("cholesky subtract_column",
                        static_cast<std::size_t>(pairs) * blocks_of_pair, stream,
                        subtract_column_kernel<T>, columns, first, end, l, l_row, blocks_of_pair);
  }

  void prepare(Stream& stream) override { cublas().prepare(cuda::queue_of(stream)); }
  [[nodiscard]] std::string library() const override {
    return cublas_ ? cublas_->library() : std::string();
  }
  void use_threads(int /*threads*/) override {}
  void factor_block(T* a, long ld, long n, Stream& stream) override {
    factor_lower(a, ld, n, CudaFactor<T>{*this, stream});
  }
  void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width,
                      Stream& stream) override {
    if (rows == 0 || width == 0) return;
    cublas().solve_lower_from_right(rows, width, l, ldl, b, ldb, cuda::queue_of(stream));
  }
  void take_rows(T* w, long ldw, const CholeskyColumns<T>& columns, long first, long count,
                 const T* l, long ldl, long l_row, long width, Stream& stream) override {
    cuda::for_each_item("cholesky take_rows", static_cast<std::size_t>(count * width),
                        TakeRow<T>{columns, w, l, ldw, first, count, ldl, l_row}, stream);
  }
  void subtract_product(T* c, long ldc, const T* l, long ldl, const T* w, long ldw, long rows,
                        long columns, long inner, Stream& stream) override {
    if (rows == 0 || columns == 0 || inner == 0) return;
    cublas().multiply_transposed(rows, columns, inner, T(-1), l, ldl, w, ldw, T(1), c, ldc,
                                 cuda::queue_of(stream));
  }

 private:
  Cublas& cublas() {
    if (!cublas_) cublas_.emplace(cublas_files());
    return *cublas_;
  }

  std::optional<Cublas> cublas_;
};

}  // namespace

template <>
std::unique_ptr<CholeskyKernels<float>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaCholesky<float>>();
}
template <>
std::unique_ptr<CholeskyKernels<double>> make_cuda_kernels(Device&) {
  return std::make_unique<CudaCholesky<double>>();
}

}  // namespace bellwether
