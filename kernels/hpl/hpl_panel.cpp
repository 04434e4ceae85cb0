// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_panel.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

/// Columns at the base of the recursion, of which a sweep over the rows serves one.
constexpr int base_width = 8;

/// Rows that are worth a thread: in shorter panels threads wait longer for one another than they
/// save (kernels/measurements.csv).
constexpr long least_rows = 2048;

// A tile of the product below, in registers: three vectors high and so many columns wide.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64, tile_columns = 8;
#elif defined(__AVX__)
constexpr int vector_bytes = 32, tile_columns = 4;
#else
constexpr int vector_bytes = 16, tile_columns = 4;
#endif
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(double));
constexpr int tile_vectors = 3;

typedef double Vector __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
typedef long Indices __attribute__((vector_size(vector_bytes)));

/// c -= l u over so many vectors of rows and so many columns; u in strips of tile_columns columns,
/// row by row.
template <int vectors, int columns>
void subtract_tile(const double* l, long ldl, const double* u, double* c, long ldc, int inner) {
  Vector sum[columns][vectors];
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v)
      sum[j][v] = *reinterpret_cast<const Vector*>(c + j * ldc + v * lanes);
  for (int k = 0; k < inner; ++k) {
    Vector left[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v)
      left[v] = *reinterpret_cast<const Vector*>(l + k * ldl + v * lanes);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const double factor = u[k * tile_columns + j];
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sum[j][v] -= left[v] * factor;
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v)
      *reinterpret_cast<Vector*>(c + j * ldc + v * lanes) = sum[j][v];
}

/// The same of any extent.
void subtract_rest(const double* l, long ldl, const double* u, double* c, long ldc, long rows,
                   int columns, int inner) {
  for (int j = 0; j < columns; ++j)
    for (long i = 0; i < rows; ++i) {
      double sum = c[j * ldc + i];
      for (int k = 0; k < inner; ++k) sum -= l[k * ldl + i] * u[k * tile_columns + j];
      c[j * ldc + i] = sum;
    }
}

template <int vectors>
void subtract_band(const double* l, long ldl, const double* packed, double* c, long ldc,
                   int columns, int inner) {
  int j = 0;
  for (; j + tile_columns <= columns; j += tile_columns)
    subtract_tile<vectors, tile_columns>(l, ldl, packed + static_cast<long>(j) * inner, c + j * ldc,
                                         ldc, inner);
  if (j < columns)
    subtract_rest(l, ldl, packed + static_cast<long>(j) * inner, c + j * ldc, ldc, vectors * lanes,
                  columns - j, inner);
}

/// u (inner x columns, column-major) in strips of tile_columns columns, row by row.
void pack(const double* u, long ldu, int columns, int inner, double* packed) {
  for (int j = 0; j < columns; j += tile_columns)
    for (int k = 0; k < inner; ++k)
      for (int one = 0; one < tile_columns; ++one)
        packed[static_cast<long>(j) * inner + k * tile_columns + one] =
            j + one < columns ? u[(j + one) * ldu + k] : 0;
}

/// c -= l u of a tall, narrow l, which stays where it is: a library would copy it first. Both
/// column-major, u packed.
void subtract_narrow(const double* l, long ldl, const double* packed, double* c, long ldc,
                     long rows, int columns, int inner) {
  long i = 0;
  for (; i + tile_vectors * lanes <= rows; i += tile_vectors * lanes)
    subtract_band<tile_vectors>(l + i, ldl, packed, c + i, ldc, columns, inner);
  for (; i + lanes <= rows; i += lanes)
    subtract_band<1>(l + i, ldl, packed, c + i, ldc, columns, inner);
  for (int j = 0; j < columns && i < rows; j += tile_columns)
    subtract_rest(l + i, ldl, packed + static_cast<long>(j) * inner, c + i + j * ldc, ldc, rows - i,
                  std::min(tile_columns, columns - j), inner);
}

using Largest = HplPanel::Largest;

/// One sweep over the rows from `first` to `end`: column `done - 1` is scaled, column `done` less
/// the ones before it times u, and the largest size in it, the first of several.
template <int done>
Largest sweep(double* columns, long ld, long first, long end, double scale, const double* u) {
  double* const x = columns + done * ld;
  double* const last = columns + (done - 1) * ld;  // not used where nothing is done
  Vector largest = Vector{} - 1.0;
  Indices where = Indices{} + first, own{};
  for (int lane = 0; lane < lanes; ++lane) own[lane] = lane;
  long i = first;
  for (; i + lanes <= end; i += lanes) {
    Vector value = *reinterpret_cast<const Vector*>(x + i);
    if constexpr (done > 0) {
#pragma GCC unroll 8
      for (int k = 0; k < done - 1; ++k)
        value -= *reinterpret_cast<const Vector*>(columns + k * ld + i) * u[k];
      const Vector multiplier = *reinterpret_cast<const Vector*>(last + i) * scale;
      *reinterpret_cast<Vector*>(last + i) = multiplier;
      value -= multiplier * u[done - 1];
      *reinterpret_cast<Vector*>(x + i) = value;
    }
    const Vector size = value < 0.0 ? -value : value;
    const Indices larger = size > largest;
    largest = larger ? size : largest;
    where = larger ? own + i : where;
  }
  Largest found{-1, first};
  for (int lane = 0; lane < lanes; ++lane)
    if (largest[lane] > found.size || (largest[lane] == found.size && where[lane] < found.row))
      found = {largest[lane], where[lane]};
  for (; i < end; ++i) {
    double value = x[i];
    if constexpr (done > 0) {
      for (int k = 0; k < done - 1; ++k) value -= columns[k * ld + i] * u[k];
      last[i] *= scale;
      value -= last[i] * u[done - 1];
      x[i] = value;
    }
    if (std::abs(value) > found.size) found = {std::abs(value), i};
  }
  return found;
}

Largest sweep_of(int done, double* columns, long ld, long first, long end, double scale,
                 const double* u) {
  using Sweep = Largest(double*, long, long, long, double, const double*);
  static_assert(base_width == 8);
  constexpr Sweep* sweeps[] = {sweep<0>, sweep<1>, sweep<2>, sweep<3>,
                               sweep<4>, sweep<5>, sweep<6>, sweep<7>};
  return sweeps[done](columns, ld, first, end, scale, u);
}

/// x = L^-1 x of a small unit lower triangle, column by column.
void solve_small(const double* l, long ld, int size, double* x, long ldx, int columns) {
  for (int j = 0; j < columns; ++j, x += ldx)
    for (int k = 0; k < size; ++k) {
      const double factor = x[k];
      const double* const column = l + k * ld;
      for (int i = k + 1; i < size; ++i) x[i] -= column[i] * factor;
    }
}

/// The left part of a division by halves, a multiple of the base width.
int first_half(int width) { return std::max(base_width, width / 2 / base_width * base_width); }

void invert_triangle(double* x, long ldx, const double* l, long ld, int size, double* product) {
  constexpr int small = 24;
  if (size <= small) {
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) x[j * ldx + i] = i == j;
    solve_small(l, ld, size, x, ldx, size);
    return;
  }
  const int first = first_half(size), second = size - first;
  invert_triangle(x, ldx, l, ld, first, product);
  double* const corner = x + first * ldx + first;
  invert_triangle(corner, ldx, l + first * ld + first, ld, second, product);
  // X21 = -X22 L21 X11
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, second, first, first, -1, l + first,
              static_cast<int>(ld), x, static_cast<int>(ldx), 0, product, second);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, second, first, second, 1, corner,
              static_cast<int>(ldx), product, second, 0, x + first, static_cast<int>(ldx));
  for (int j = first; j < size; ++j) std::fill_n(x + j * ldx, first, 0.0);
}

}  // namespace

HplPanel::HplPanel(int most_width, int threads)
    : packed_(static_cast<std::size_t>(most_width + tile_columns) * most_width),
      row_(most_width),
      product_(static_cast<std::size_t>(most_width) * most_width),
      team_(threads) {
  found_.resize(static_cast<std::size_t>(team_.threads()));
}

int HplPanel::factor(double* panel, long ld, long rows, int width, PanelPivot* pivots,
                     PivotChoice* choice) {
  pivots_ = pivots;
  choice_ = choice;
  panel_width_ = width;
  no_pivot_ = -1;
  const long threads = std::min<long>(team_.threads(), rows / least_rows);
  const SpinningTeam::Shift shift(team_, static_cast<int>(threads));
  factor_columns(panel, ld, rows, 0, width);
  return no_pivot_;
}

double HplPanel::invert(double* x, const double* l, long ld, int width) {
  invert_triangle(x, width, l, ld, width, product_.data());
  double largest = 0;
  for (long n = 0; n < static_cast<long>(width) * width; ++n)
    largest = std::max(largest, std::abs(x[n]));
  return largest;
}

/// work(begin, end, thread) of each thread's part of the rows: whole tiles from `first` on, so that
/// each row goes through the same instructions as with one thread.
template <class Work>
void HplPanel::each_part(long first, long rows, const Work& work) {
  constexpr long tile = tile_vectors * lanes;
  const long threads = team_.on_shift();
  const long height = (rows - first + threads * tile - 1) / (threads * tile) * tile;
  team_.each([&](int thread) {
    const long begin = std::min(first + thread * height, rows);
    work(begin, std::min(begin + height, rows), thread);
  });
}

/// The columns from `first` on, all updates by those before them done.
void HplPanel::factor_columns(double* panel, long ld, long rows, int first, int width) {
  if (width <= base_width) {
    factor_base(panel, ld, rows, first, width);
    return;
  }
  constexpr int widest_small = 64;
  const int left = first_half(width), right = width - left, middle = first + left;
  factor_columns(panel, ld, rows, first, left);
  const double* const triangle = panel + first * ld + first;
  double* const u = panel + middle * ld + first;
  if (left < widest_small)
    solve_small(triangle, ld, left, u, ld, right);
  else
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, left, right, 1,
                triangle, static_cast<int>(ld), u, static_cast<int>(ld));
  pack(u, ld, right, left, packed_.data());
  each_part(middle, rows, [&](long begin, long end, int) {
    subtract_narrow(panel + first * ld + begin, ld, packed_.data(), panel + middle * ld + begin, ld,
                    end - begin, right, left);
  });
  factor_columns(panel, ld, rows, middle, right);
}

void HplPanel::factor_base(double* panel, long ld, long rows, int first, int width) {
  double* const columns = panel + first * ld;
  double scale = 1;
  for (int done = 0; done < width; ++done) {
    const int column = first + done;
    double* const x = columns + done * ld;
    double u[base_width];
    for (int k = 0; k < done; ++k) {
      u[k] = x[first + k];
      for (int before = 0; before < k; ++before)
        u[k] -= columns[before * ld + first + k] * u[before];
      x[first + k] = u[k];
    }
    each_part(column, rows, [&](long begin, long end, int thread) {
      found_[static_cast<std::size_t>(thread)] = sweep_of(done, columns, ld, begin, end, scale, u);
    });
    Largest found = found_[0];
    for (int thread = 1; thread < team_.on_shift(); ++thread)
      if (const Largest& other = found_[static_cast<std::size_t>(thread)]; other.size > found.size)
        found = other;
    exchange_rows(panel, ld, column, found.size, static_cast<int>(found.row));
    const double pivot = x[column];
    const bool usable = std::isfinite(pivot) && pivot != 0;
    if (!usable && no_pivot_ < 0) no_pivot_ = column;
    scale = usable ? 1 / pivot : 0;
  }
  double* const last = columns + (width - 1) * ld;
  each_part(first + width, rows, [&](long begin, long end, int) {
    for (long i = begin; i < end; ++i) last[i] *= scale;
  });
}

/// The pivot's row to the place of `column`, and that row to the pivot's.
void HplPanel::exchange_rows(double* panel, long ld, int column, double size, int row) {
  double* const to = panel + column;
  const auto swap_with = [&](double* from) {
    for (int j = 0; j < panel_width_; ++j) std::swap(to[j * ld], from[j * ld]);
  };
  if (choice_ == nullptr) {
    pivots_[column] = {0, row};
    if (row != column) swap_with(panel + row);
    return;
  }
  for (int j = 0; j < panel_width_; ++j) row_[j] = panel[row + j * ld];
  const PanelPivot chosen = choice_->choose(size, row, row_.data(), panel_width_);
  pivots_[column] = chosen;
  if (chosen.row < panel_width_) {  // of the rows that all have
    if (chosen.row != column) swap_with(panel + chosen.row);
    return;
  }
  if (chosen.row == row && chosen.process == choice_->process()) {
    swap_with(panel + row);
    return;
  }
  for (int j = 0; j < panel_width_; ++j) to[j * ld] = row_[j];
}

}  // namespace bellwether
