// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/column_matrix.hpp"

#include <algorithm>

#include "models/cholesky/start_up_parameters.hpp"

namespace bellwether {
namespace {

template <class T>
CholeskyColumns<T> columns_of(long size, int block, int processes, int process, bool is_host) {
  CholeskyColumns<T> columns;
  columns.dealt = {block, processes, process};
  columns.size = size;
  columns.count = columns.dealt.count(size);
  columns.group = block == 1 ? 1 : cholesky_product_columns(block, !is_host);
  return columns;
}

/// Values from column to column of a group: whole lines, and where there are several columns an odd
/// number of them, so that the columns of a row do not all fall into the same sets of a cache.
template <class T>
long group_ld(const CholeskyColumns<T>& columns, long first) {
  const long rows = columns.rows_end() - columns.first_row(first);
  constexpr long line = CholeskyColumns<T>::line;
  return columns.group == 1 || rows / line % 2 == 1 ? rows : rows + line;
}

}  // namespace

template <class T>
ColumnMatrix<T>::ColumnMatrix(Device& device, long size, int block, int processes, int process)
    : device_(device),
      kernels_(make_kernels<CholeskyKernels<T>>(device)),
      stream_(device.make_stream(false)),
      columns_(columns_of<T>(size, block, processes, process, device.is_host())) {
  long values = 0;
  for (long first = 0; first < columns_.count; first += columns_.group) {
    const long ld = group_ld(columns_, first);
    const long end = std::min(first + columns_.group, columns_.count);
    for (long column = first; column < end; ++column, values += ld)
      starts_.push_back(values - columns_.first_row(first));
  }
  values_ = Buffer<T>(device, static_cast<std::size_t>(std::max(values, 1L)));
  device_starts_ = Buffer<long>(device, std::max<std::size_t>(starts_.size(), 1));
  device.copy(device_starts_.data(), starts_.data(), starts_.size() * sizeof(long), *stream_);
  columns_.values = values_.data();
  columns_.starts = device_starts_.data();
}

template <class T>
long ColumnMatrix<T>::ld(long column) const {
  return group_ld(columns_, column / columns_.group * columns_.group);
}

template <class T>
void ColumnMatrix<T>::fill(double diagonal) {
  kernels_->fill(columns_, diagonal, *stream_);
  device_.fence(*stream_);
}

template <class T>
double ColumnMatrix<T>::most_values(long size, int block, int processes, bool is_host) {
  // The first process has the longest columns, and no fewer than any other.
  const CholeskyColumns<T> columns = columns_of<T>(size, block, processes, 0, is_host);
  double values = 0;
  for (long first = 0; first < columns.count; first += columns.group)
    values += static_cast<double>(group_ld(columns, first)) *
              static_cast<double>(std::min(columns.group, columns.count - first));
  return values;
}

template class ColumnMatrix<float>;
template class ColumnMatrix<double>;

}  // namespace bellwether
