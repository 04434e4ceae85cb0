// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "kernels/cholesky/cholesky.hpp"

namespace bellwether {

/// A process' columns of the lower triangle of an n x n matrix (CholeskyColumns), in device memory,
/// and what is done to them. The process may have none. T is float or double.
template <class T>
class ColumnMatrix {
 public:
  ColumnMatrix(Device& device, long size, int block, int processes, int process);

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] CholeskyKernels<T>& kernels() const { return *kernels_; }
  [[nodiscard]] Stream& stream() const { return *stream_; }
  [[nodiscard]] const CholeskyColumns<T>& columns() const { return columns_; }

  [[nodiscard]] long size() const { return columns_.size; }
  [[nodiscard]] int block() const { return static_cast<int>(columns_.dealt.block); }
  [[nodiscard]] int processes() const { return columns_.dealt.processes; }
  /// Panels are the blocks of columns, in order: how many, which process has one, its first column
  /// and how many it has, and how many of this process' columns stand before it.
  [[nodiscard]] long panels() const { return (size() + block() - 1) / block(); }
  [[nodiscard]] int owner(long panel) const { return static_cast<int>(panel % processes()); }
  [[nodiscard]] bool owns(long panel) const { return owner(panel) == columns_.dealt.mine; }
  [[nodiscard]] long first_of(long panel) const { return std::min(panel * block(), size()); }
  [[nodiscard]] int width(long panel) const {
    return static_cast<int>(first_of(panel + 1) - first_of(panel));
  }
  [[nodiscard]] long columns_before(long panel) const {
    return columns_.dealt.count(first_of(panel));
  }

  /// Element (row, own column), and the values from there to the next column of its group.
  [[nodiscard]] T* at(long row, long column) const {
    return columns_.values + starts_[static_cast<std::size_t>(column)] + row;
  }
  [[nodiscard]] long ld(long column) const;
  /// All values, in device memory.
  [[nodiscard]] std::size_t values() const { return values_.size(); }

  /// The matrix that is factored, from its hash (cholesky_element).
  void fill(double diagonal);

  /// Values of the process that has most.
  [[nodiscard]] static double most_values(long size, int block, int processes, bool is_host);

 private:
  Device& device_;
  std::unique_ptr<CholeskyKernels<T>> kernels_;
  std::unique_ptr<Stream> stream_;
  CholeskyColumns<T> columns_;
  std::vector<long> starts_;
  Buffer<long> device_starts_;
  Buffer<T> values_;
};

}  // namespace bellwether
