// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_panel_cuda.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/dense/cublas_places.hpp"
#include "kernels/dense/cusolver.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"

namespace bellwether {
namespace {

using cuda::block_threads;

/// Columns at the base of the recursion: a launch each.
constexpr int base_columns = 32;
constexpr int warp = 32;
constexpr unsigned whole_warp = 0xffffffffu;
/// Rows of a panel that a block takes. Few blocks leave multiprocessors to the update beside.
constexpr int rows_of_thread = 4;
constexpr long rows_of_block = long{rows_of_thread} * block_threads;

/// A pivot that might be taken.
struct Candidate {
  double size;
  int row;
};
/// What the launches of a panel leave for the next.
struct PanelState {
  unsigned arrived;  ///< blocks of a launch that are done
  double scale;      ///< of the column before
};
/// The columns of a base, in a panel.
struct Base {
  double* l;
  long ldl, rows;
  int first, width;
};
/// What this process might bring for a pivot, and then what all take: in the host's memory, which
/// the device reaches.
struct Offer {
  Candidate* candidate;  ///< null: one process has all rows
  double* row;           ///< over the panel's whole width
};
/// Where a column's launch leaves what it finds.
struct ColumnResult {
  PanelState* state;
  Candidate* candidates;  ///< of each block
  double* no_pivot;
  PanelPivot* pivots;
  Offer offer;
};

/// The larger one, among equals the one that stands first; whatever their order.
__device__ Candidate better(const Candidate& a, const Candidate& b) {
  return b.size > a.size || (b.size == a.size && b.row < a.row) ? b : a;
}

/// Of a warp's lanes, in the first.
__device__ Candidate best_of_warp(Candidate mine) {
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    const Candidate other{__shfl_down_sync(whole_warp, mine.size, distance),
                          __shfl_down_sync(whole_warp, mine.row, distance)};
    mine = better(mine, other);
  }
  return mine;
}

/// Column `done` of the rows above the base's row `done`: u = L^-1 x, by the first warp. L stands
/// in the columns before, all of them scaled.
__device__ void solve_above(const Base& base, int done, double* u) {
  const int lane = static_cast<int>(threadIdx.x);
  const double* const columns = base.l + base.first * base.ldl + base.first;
  double mine = lane < done ? columns[done * base.ldl + lane] : 0;
  for (int before = 0; before + 1 < done; ++before) {
    const double factor = __shfl_sync(whole_warp, mine, before);
    if (lane > before && lane < done) mine -= columns[before * base.ldl + lane] * factor;
  }
  if (lane < done) u[lane] = mine;
}

/// This thread's rows from the base's row `done` on: the column before is scaled, and this one less
/// the ones before it times u. Returns the thread's best candidate.
__device__ Candidate sweep_rows(const Base& base, int done, double scale, const double* u) {
  const int column = base.first + done;
  double* const columns = base.l + base.first * base.ldl;
  double* const x = columns + done * base.ldl;
  double* const last = columns + (done - 1) * base.ldl;  // not used where nothing is done
  const long first = column + blockIdx.x * rows_of_block + threadIdx.x;
  // Beyond the panel the last row is read, so that all loads are in flight at once.
  long rows[rows_of_thread];
  double value[rows_of_thread];
#pragma unroll
  for (int n = 0; n < rows_of_thread; ++n) {
    const long i = first + n * block_threads;
    rows[n] = i < base.rows ? i : base.rows - 1;
    value[n] = x[rows[n]];
  }
#pragma unroll 8
  for (int k = 0; k < done - 1; ++k)
#pragma unroll
    for (int n = 0; n < rows_of_thread; ++n) value[n] -= columns[k * base.ldl + rows[n]] * u[k];
  Candidate best{-1, column};
#pragma unroll
  for (int n = 0; n < rows_of_thread; ++n) {
    const long i = first + n * block_threads;
    if (i >= base.rows) continue;
    if (done > 0) {
      const double multiplier = last[i] * scale;
      last[i] = multiplier;
      value[n] -= multiplier * u[done - 1];
      x[i] = value[n];
    }
    const double size = absolute(value[n]);
    if (size > best.size) best = {size, static_cast<int>(i)};  // NaN is none
  }
  return best;
}

/// What a column's pivot leaves for the next launch, and for the host.
__device__ void note_pivot(const ColumnResult& result, int column, PanelPivot pivot, double value) {
  const bool usable = value - value == 0 && value != 0;  // finite
  result.pivots[column] = pivot;
  if (column == 0 || (!usable && *result.no_pivot < 0)) *result.no_pivot = usable ? -1 : column;
  result.state->scale = usable ? 1 / value : 0;
}

/// By the block that is done last, when all others' stores can be seen: U's column gets its place,
/// and the pivot's row comes to row `done` of the base or is offered to the other processes. What
/// other blocks wrote is read past the nearest cache.
__device__ void end_column(const Base& base, int panel_width, int done, const double* u,
                           const ColumnResult& result) {
  __shared__ Candidate pivot;
  const int thread = static_cast<int>(threadIdx.x);
  const int column = base.first + done;
  if (thread < warp) {
    Candidate best{-1, column};
    for (unsigned block = threadIdx.x; block < gridDim.x; block += warp)
      best = better(
          best, {__ldcg(&result.candidates[block].size), __ldcg(&result.candidates[block].row)});
    best = best_of_warp(best);
    if (thread == 0) pivot = best;
  }
  __syncthreads();
  if (thread < done) base.l[column * base.ldl + base.first + thread] = u[thread];
  if (thread == 0) result.state->arrived = 0;
  const int row = pivot.row;
  if (result.offer.candidate != nullptr) {
    for (int n = thread; n < panel_width; n += block_threads)
      result.offer.row[n] = __ldcg(base.l + n * base.ldl + row);
    if (thread == 0) *result.offer.candidate = pivot;
    return;
  }
  if (thread >= base.width) return;
  double* const mine = base.l + (base.first + thread) * base.ldl;
  const double taken = __ldcg(mine + row);
  if (row != column) {
    mine[row] = __ldcg(mine + column);
    mine[column] = taken;
  }
  if (thread == done) note_pivot(result, column, {0, row}, taken);
}

/// Column `done` of a base. No block waits for another, so that it runs beside whatever else the
/// device does.
__global__ void __launch_bounds__(block_threads)
    column_kernel(Base base, int panel_width, int done, ColumnResult result) {
  __shared__ double u[base_columns];
  __shared__ Candidate of_threads[block_threads];
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < warp) solve_above(base, done, u);
  __syncthreads();
  const double scale = done > 0 ? result.state->scale : 0;
  of_threads[thread] = sweep_rows(base, done, scale, u);
  __syncthreads();
  Candidate best{-1, base.first + done};
  if (thread < warp) {
    for (int n = thread; n < block_threads; n += warp) best = better(best, of_threads[n]);
    best = best_of_warp(best);
  }
  if (thread == 0) {
    result.candidates[blockIdx.x] = best;
    __threadfence();  // the block's stores, which the barrier above puts before it
    is_last = atomicAdd(&result.state->arrived, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last) end_column(base, panel_width, done, u, result);
}

/// The row that the processes chose comes to the place of `column`; the one that stood there to row
/// `displaced_to`, if that is not below 0.
__global__ void __launch_bounds__(block_threads)
    take_chosen_kernel(double* l, long ldl, int width, int column, PanelPivot chosen,
                       int displaced_to, ColumnResult result) {
  const int n = static_cast<int>(blockIdx.x * block_threads + threadIdx.x);
  if (n >= width) return;
  double* const mine = l + n * ldl;
  const double taken = result.offer.row[n], displaced = mine[column];
  mine[column] = taken;
  if (displaced_to >= 0 && displaced_to != column) mine[displaced_to] = displaced;
  if (n == column) note_pivot(result, column, chosen, taken);
}

/// Where what stands in a row after the interchanges of columns `first` to `end` stood before.
__device__ int origin_of(int row, const PanelPivot* pivots, int first, int end) {
  for (int t = end - 1; t >= first; --t) {
    const int pivot = pivots[t].row;
    row = row == t ? pivot : row == pivot ? t : row;
  }
  return row;
}

/// Columns that a warp exchanges rows of.
constexpr int columns_of_warp = 4;
constexpr int columns_of_block = columns_of_warp * (block_threads / warp);

/// What is left of a base: the last column is scaled by the first blocks, and the others exchange
/// its rows in the panel's other columns.
__global__ void __launch_bounds__(block_threads)
    end_base_kernel(Base base, int panel_width, unsigned scaling_blocks, const PanelState* state,
                    const PanelPivot* pivots) {
  const int end = base.first + base.width;
  if (blockIdx.x < scaling_blocks) {
    double* const last = base.l + (end - 1) * base.ldl;
    const double scale = state->scale;
#pragma unroll
    for (int n = 0; n < rows_of_thread; ++n) {
      const long i = end + blockIdx.x * rows_of_block + n * block_threads + threadIdx.x;
      if (i < base.rows) last[i] *= scale;
    }
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const bool moves = lane < base.width;
  const int top = base.first + lane;
  const int below = moves ? pivots[top].row : 0;
  const int to_top = moves ? origin_of(top, pivots, base.first, end) : 0;
  const int to_below = moves ? origin_of(below, pivots, base.first, end) : 0;
  const int first = (static_cast<int>(blockIdx.x - scaling_blocks) * (block_threads / warp) +
                     static_cast<int>(threadIdx.x) / warp) *
                    columns_of_warp;
  for (int n = first; n < first + columns_of_warp; ++n) {
    const int column = n < base.first ? n : n + base.width;
    if (column >= panel_width) return;  // all lanes of the warp
    double* const values = base.l + column * base.ldl;
    const double at_top = moves ? values[to_top] : 0, at_below = moves ? values[to_below] : 0;
    __syncwarp();
    if (!moves) continue;
    values[top] = at_top;
    if (below >= end) values[below] = at_below;  // twice the same where two columns took that row
  }
}

__global__ void __launch_bounds__(block_threads)
    list_kernel(int* lists, const PanelPivot* pivots, int width, int top) {
  const int t = static_cast<int>(blockIdx.x * block_threads + threadIdx.x);
  if (t >= width) return;
  lists[t] = top + origin_of(t, pivots, 0, width);
  const int row = pivots[t].row;
  bool is_first = row >= width;
  for (int before = 0; before < t && is_first; ++before) is_first = pivots[before].row != row;
  lists[width + t] = is_first ? top + row : -1;
  lists[2 * width + t] = is_first ? top + origin_of(row, pivots, 0, width) : -1;
}

long blocks_of_rows(long rows) { return std::max(1L, (rows + rows_of_block - 1) / rows_of_block); }

class ListedPanel : public HplDevicePanel {
 public:
  void list_interchanges(int* lists, const PanelPivot* pivots, int width, long top,
                         Stream& stream) override {
    cuda::launch_blocks("hpl list_interchanges", cuda::blocks_for(static_cast<std::size_t>(width)),
                        stream, list_kernel, lists, pivots, width, static_cast<int>(top));
  }
};

/// Recursive by halves (Toledo 1997), as the host's: products and triangles by cuBLAS.
class PanelByKernels final : public ListedPanel {
 public:
  PanelByKernels(Device& device, Cublas& cublas, long rows, int width, Stream& stream)
      : device_(device),
        cublas_(cublas),
        state_(device, 1),
        candidates_(device, static_cast<std::size_t>(blocks_of_rows(rows))),
        offered_(device, 1, true),
        offered_row_(device, static_cast<std::size_t>(width), true) {
    cublas_.prepare(cuda::queue_of(stream));
    cuda::check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), cuda::queue_of(stream)),
                "cudaMemsetAsync");
  }
  void factor(double* l, long ldl, long rows, int width, double* no_pivot, PanelPivot* pivots,
              Stream& stream, PivotChoice* choice) override {
    panel_ = {l, ldl, rows, 0, width};
    choice_ = choice;
    result_ = {state_.data(), candidates_.data(), no_pivot, pivots, {}};
    if (choice != nullptr) result_.offer = {offered_.data(), offered_row_.data()};
    factor_columns(0, width, stream);
  }

 private:
  void factor_columns(int first, int width, Stream& stream) {
    if (width <= base_columns) {
      factor_base({panel_.l, panel_.ldl, panel_.rows, first, width}, stream);
      return;
    }
    const int left = std::max(base_columns, width / 2 / base_columns * base_columns);
    const int right = width - left, middle = first + left;
    const long ld = panel_.ldl;
    factor_columns(first, left, stream);
    double* const l = panel_.l + first * ld;
    double* const u = panel_.l + middle * ld;
    cublas_.solve_from_left(left, right, l + first, ld, u + first, ld, cuda::queue_of(stream));
    cublas_.subtract_product(panel_.rows - middle, right, left, l + middle, ld, u + first, ld,
                             u + middle, ld, cuda::queue_of(stream));
    factor_columns(middle, right, stream);
  }
  void factor_base(const Base& base, Stream& stream) {
    for (int done = 0; done < base.width; ++done) {
      cuda::launch_blocks("hpl panel column",
                          static_cast<std::size_t>(blocks_of_rows(base.rows - base.first - done)),
                          stream, column_kernel, base, panel_.width, done, result_);
      if (choice_ != nullptr) agree(base.first + done, stream);
    }
    const long scaling = blocks_of_rows(base.rows - base.first - base.width);
    const long others = choice_ != nullptr ? 0 : panel_.width - base.width;  // else exchanged
    const long moving = (others + columns_of_block - 1) / columns_of_block;
    cuda::launch_blocks("hpl panel end_base", static_cast<std::size_t>(scaling + moving), stream,
                        end_base_kernel, base, panel_.width, static_cast<unsigned>(scaling),
                        result_.state, result_.pivots);
  }
  /// The processes agree on a column's pivot, between two launches.
  void agree(int column, Stream& stream) {
    device_.fence(stream);
    const Candidate& mine = *offered_.data();
    const PanelPivot chosen =
        choice_->choose(mine.size, mine.row, offered_row_.data(), panel_.width);
    const bool is_here = chosen.row < panel_.width || chosen.process == choice_->process();
    cuda::launch_blocks("hpl panel take_chosen",
                        cuda::blocks_for(static_cast<std::size_t>(panel_.width)), stream,
                        take_chosen_kernel, panel_.l, panel_.ldl, panel_.width, column, chosen,
                        is_here ? chosen.row : -1, result_);
  }

  Device& device_;
  Cublas& cublas_;
  Buffer<PanelState> state_;
  Buffer<Candidate> candidates_;
  Buffer<Candidate> offered_;
  Buffer<double> offered_row_;
  PivotChoice* choice_ = nullptr;
  Base panel_{};
  ColumnResult result_{};
};

/// cuSOLVER's pivots as this program's, and the first column without one.
__global__ void __launch_bounds__(block_threads)
    pivots_kernel(double* no_pivot, PanelPivot* pivots, const std::int64_t* rows, const double* l,
                  long ldl, int width) {
  __shared__ int without[block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  int first = width;
  for (int t = thread; t < width; t += block_threads) {
    pivots[t] = {0, static_cast<std::int32_t>(rows[t] - 1)};
    const double pivot = l[t * ldl + t];
    const bool usable = pivot - pivot == 0 && pivot != 0;
    if (!usable && first == width) first = t;
  }
  without[thread] = first;
  __syncthreads();
  if (thread != 0) return;
  for (int n = 1; n < block_threads; ++n) first = without[n] < first ? without[n] : first;
  *no_pivot = first < width ? first : -1;
}

class PanelByCusolver final : public ListedPanel {
 public:
  PanelByCusolver(Device& device, long rows, int width, Stream& stream)
      : device_(device),
        cusolver_(cusolver_files(), cuda::queue_of(stream)),
        rows_(device, static_cast<std::size_t>(width)),
        info_(device, 1) {
    const void* const any = rows_.data();
    make_room(cusolver_.workspace(rows, width, static_cast<const double*>(any), rows));
  }
  [[nodiscard]] std::string library() const override { return cusolver_.library(); }
  void factor(double* l, long ldl, long rows, int width, double* no_pivot, PanelPivot* pivots,
              Stream& stream, PivotChoice* choice) override {
    if (choice != nullptr)
      throw std::invalid_argument(
          "cuSOLVER: found a panel of several processes, expected all of its rows on one");
    make_room(cusolver_.workspace(rows, width, l, ldl));
    cusolver_.factor(rows, width, l, ldl, rows_.data(), info_.data(),
                     {on_device_.size(), on_host_.size()}, on_device_.data(), on_host_.data());
    cuda::launch_blocks("hpl pivots", 1, stream, pivots_kernel, no_pivot, pivots, rows_.data(), l,
                        ldl, width);
  }

 private:
  /// Rarely anything after the first time: the tallest panel is known. What is freed CUDA waits
  /// for.
  void make_room(const Cusolver::Workspace& needed) {
    if (on_device_.size() < needed.device_bytes || on_device_.size() == 0)
      on_device_ = Buffer<char>(device_, std::max<std::size_t>(1, needed.device_bytes));
    if (on_host_.size() < needed.host_bytes || on_host_.size() == 0)
      on_host_ = Buffer<char>(device_, std::max<std::size_t>(1, needed.host_bytes), true);
  }

  Device& device_;
  Cusolver cusolver_;
  Buffer<std::int64_t> rows_;
  Buffer<int> info_;
  Buffer<char> on_device_, on_host_;
};

}  // namespace

std::unique_ptr<HplDevicePanel> make_cuda_panel(Device& device, Cublas& cublas, DevicePanelBy by,
                                                long rows, int width, Stream& stream) {
  if (by == DevicePanelBy::cusolver)
    return std::make_unique<PanelByCusolver>(device, rows, width, stream);
  return std::make_unique<PanelByKernels>(device, cublas, rows, width, stream);
}

}  // namespace bellwether
