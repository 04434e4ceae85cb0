// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_panel_cuda.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "kernels/dense/cublas_places.hpp"
#include "kernels/dense/cusolver.hpp"
#include "kernels/launch/cuda/cuda_graph.cuh"
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
/// The columns of a base, in a panel.
struct Base {
  double* l;
  long ldl, rows;
  int first, width, panel_width;
  double* no_pivot;
  PanelPivot* pivots;
};
/// In device memory, so that the same launches serve every base: which one it is, and what they
/// leave for the next.
struct PanelState {
  Base base;
  unsigned arrived;  ///< blocks of a launch that are done
  double scale;      ///< of the column before
};
/// What this process might bring for a pivot, and then what all take: in the host's memory, which
/// the device reaches.
struct Offer {
  Candidate* candidate;  ///< null: one process has all rows
  double* row;           ///< over the panel's whole width
};
/// Where a column's launch finds its base, and leaves what it finds.
struct ColumnPlaces {
  PanelState* state;
  Candidate* candidates;  ///< of each block
  Offer offer;
};

/// At least 1.
__host__ __device__ long blocks_of_rows(long rows) {
  return rows > rows_of_block ? (rows + rows_of_block - 1) / rows_of_block : 1;
}

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
__device__ void note_pivot(PanelState* state, const Base& base, int column, PanelPivot pivot,
                           double value) {
  const bool usable = value - value == 0 && value != 0;  // finite
  base.pivots[column] = pivot;
  if (column == 0 || (!usable && *base.no_pivot < 0)) *base.no_pivot = usable ? -1 : column;
  state->scale = usable ? 1 / value : 0;
}

/// By the block that is done last, when all others' stores can be seen: U's column gets its place,
/// and the pivot's row comes to row `done` of the base or is offered to the other processes. What
/// other blocks wrote is read past the nearest cache.
__device__ void end_column(const Base& base, unsigned blocks, int done, const double* u,
                           const ColumnPlaces& places) {
  __shared__ Candidate pivot;
  const int thread = static_cast<int>(threadIdx.x);
  const int column = base.first + done;
  if (thread < warp) {
    Candidate best{-1, column};
    for (unsigned block = threadIdx.x; block < blocks; block += warp)
      best = better(
          best, {__ldcg(&places.candidates[block].size), __ldcg(&places.candidates[block].row)});
    best = best_of_warp(best);
    if (thread == 0) pivot = best;
  }
  __syncthreads();
  if (thread < done) base.l[column * base.ldl + base.first + thread] = u[thread];
  if (thread == 0) places.state->arrived = 0;
  const int row = pivot.row;
  if (places.offer.candidate != nullptr) {
    for (int n = thread; n < base.panel_width; n += block_threads)
      places.offer.row[n] = __ldcg(base.l + n * base.ldl + row);
    if (thread == 0) *places.offer.candidate = pivot;
    return;
  }
  if (thread >= base.width) return;
  double* const mine = base.l + (base.first + thread) * base.ldl;
  const double taken = __ldcg(mine + row);
  if (row != column) {
    mine[row] = __ldcg(mine + column);
    mine[column] = taken;
  }
  if (thread == done) note_pivot(places.state, base, column, {0, row}, taken);
}

__global__ void begin_base_kernel(PanelState* state, Base base) { state->base = base; }

/// Column `done` of a base. No block waits for another, so that it runs beside whatever else the
/// device does; those of a taller panel have nothing to do.
__global__ void __launch_bounds__(block_threads) column_kernel(int done, ColumnPlaces places) {
  __shared__ double u[base_columns];
  __shared__ Candidate of_threads[block_threads];
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  const Base base = places.state->base;
  const auto blocks = static_cast<unsigned>(blocks_of_rows(base.rows - base.first - done));
  if (blockIdx.x >= blocks) return;
  if (thread < warp) solve_above(base, done, u);
  __syncthreads();
  const double scale = done > 0 ? places.state->scale : 0;
  of_threads[thread] = sweep_rows(base, done, scale, u);
  __syncthreads();
  Candidate best{-1, base.first + done};
  if (thread < warp) {
    for (int n = thread; n < block_threads; n += warp) best = better(best, of_threads[n]);
    best = best_of_warp(best);
  }
  if (thread == 0) {
    places.candidates[blockIdx.x] = best;
    __threadfence();  // the block's stores, which the barrier above puts before it
    is_last = atomicAdd(&places.state->arrived, 1u) == blocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last) end_column(base, blocks, done, u, places);
}

/// The row that the processes chose comes to the place of `column`; the one that stood there to row
/// `displaced_to`, if that is not below 0.
__global__ void __launch_bounds__(block_threads)
    take_chosen_kernel(PanelState* state, const double* row, int column, PanelPivot chosen,
                       int displaced_to) {
  const int n = static_cast<int>(blockIdx.x * block_threads + threadIdx.x);
  const Base base = state->base;
  if (n >= base.panel_width) return;
  double* const mine = base.l + n * base.ldl;
  const double taken = row[n], displaced = mine[column];
  mine[column] = taken;
  if (displaced_to >= 0 && displaced_to != column) mine[displaced_to] = displaced;
  if (n == column) note_pivot(state, base, column, chosen, taken);
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
    end_base_kernel(const PanelState* state, unsigned scaling_blocks) {
  const Base base = state->base;
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
  const int below = moves ? base.pivots[top].row : 0;
  const int to_top = moves ? origin_of(top, base.pivots, base.first, end) : 0;
  const int to_below = moves ? origin_of(below, base.pivots, base.first, end) : 0;
  const int first = (static_cast<int>(blockIdx.x - scaling_blocks) * (block_threads / warp) +
                     static_cast<int>(threadIdx.x) / warp) *
                    columns_of_warp;
  for (int n = first; n < first + columns_of_warp; ++n) {
    const int column = n < base.first ? n : n + base.width;
    if (column >= base.panel_width) return;  // all lanes of the warp
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

class ListedPanel : public HplDevicePanel {
 public:
  void list_interchanges(int* lists, const PanelPivot* pivots, int width, long top,
                         Stream& stream) override {
    cuda::launch_blocks("hpl list_interchanges", cuda::blocks_for(static_cast<std::size_t>(width)),
                        stream, list_kernel, lists, pivots, width, static_cast<int>(top));
  }
};

/// Recursive by halves (Toledo 1997), as the host's: products and triangles by cuBLAS, and the
/// launches of a base recorded once where none waits for the host.
class PanelByKernels final : public ListedPanel {
 public:
  PanelByKernels(Device& device, Cublas& cublas, long rows, int width, Stream& stream)
      : device_(device),
        cublas_(cublas),
        row_blocks_(static_cast<std::size_t>(blocks_of_rows(rows))),
        moving_blocks_(static_cast<std::size_t>(width / columns_of_block + 1)),
        state_(device, 1),
        candidates_(device, row_blocks_),
        offered_(device, 1, true),
        offered_row_(device, static_cast<std::size_t>(width), true) {
    cublas_.prepare(cuda::queue_of(stream));
    cuda::check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), cuda::queue_of(stream)),
                "cudaMemsetAsync");
  }
  void factor(double* l, long ldl, long rows, int width, double* no_pivot, PanelPivot* pivots,
              Stream& stream, PivotChoice* choice) override {
    panel_ = {l, ldl, rows, 0, 0, width, no_pivot, pivots};
    choice_ = choice;
    factor_columns(0, width, stream);
  }

 private:
  void factor_columns(int first, int width, Stream& stream) {
    if (width <= base_columns) {
      factor_base(first, width, stream);
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
  void factor_base(int first, int width, Stream& stream) {
    panel_.first = first;
    panel_.width = width;
    cuda::launch_blocks<1>("hpl panel begin_base", 1, stream, begin_base_kernel, state_.data(),
                           panel_);
    if (choice_ != nullptr)
      return launch_base(width, {offered_.data(), offered_row_.data()}, stream);
    const auto record = [&] { launch_base(width, {}, stream); };
    graphs_.try_emplace(width, stream, record).first->second.launch("hpl panel base", stream);
  }
  /// Of any base of so many columns, in panels of any height.
  void launch_base(int width, const Offer& offer, Stream& stream) {
    const ColumnPlaces places{state_.data(), candidates_.data(), offer};
    const bool alone = offer.candidate == nullptr;  // else rows were exchanged over all columns
    for (int done = 0; done < width; ++done) {
      cuda::launch_blocks("hpl panel column", row_blocks_, stream, column_kernel, done, places);
      if (!alone) agree(panel_.first + done, stream);
    }
    cuda::launch_blocks("hpl panel end_base", row_blocks_ + (alone ? moving_blocks_ : 0), stream,
                        end_base_kernel, state_.data(), static_cast<unsigned>(row_blocks_));
  }
  /// The processes agree on a column's pivot, between two launches.
  void agree(int column, Stream& stream) {
    device_.fence(stream);
    const Candidate& mine = *offered_.data();
    const PanelPivot chosen =
        choice_->choose(mine.size, mine.row, offered_row_.data(), panel_.panel_width);
    const bool is_here = chosen.row < panel_.panel_width || chosen.process == choice_->process();
    cuda::launch_blocks("hpl panel take_chosen",
                        cuda::blocks_for(static_cast<std::size_t>(panel_.panel_width)), stream,
                        take_chosen_kernel, state_.data(), offered_row_.data(), column, chosen,
                        is_here ? chosen.row : -1);
  }

  Device& device_;
  Cublas& cublas_;
  std::size_t row_blocks_, moving_blocks_;  ///< that the largest panel wants
  Buffer<PanelState> state_;
  Buffer<Candidate> candidates_;
  Buffer<Candidate> offered_;
  Buffer<double> offered_row_;
  PivotChoice* choice_ = nullptr;
  Base panel_{};                       ///< and the base of it that is factored
  std::map<int, cuda::Graph> graphs_;  ///< by a base's columns
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
