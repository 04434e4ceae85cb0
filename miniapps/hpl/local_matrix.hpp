// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include "kernels/hpl/hpl.hpp"
#include "miniapps/comm/session/session.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// The first P x Q ranks on a grid, with a communicator for each of its rows and
/// columns. The other ranks have no part in it.
class HplGrid {
 public:
  /// Collective over the session; no more processes than it has ranks.
  HplGrid(const Session& session, const ProcessGrid& grid);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~HplGrid();
  HplGrid(const HplGrid&) = delete;
  HplGrid& operator=(const HplGrid&) = delete;

  [[nodiscard]] bool has_me() const { return has_me_; }
  [[nodiscard]] int rows() const { return grid_.rows; }        ///< P
  [[nodiscard]] int columns() const { return grid_.columns; }  ///< Q
  [[nodiscard]] int row() const { return row_; }               ///< of this process, from 0
  [[nodiscard]] int column() const { return column_; }
  /// The processes of this one's row, ranked by their columns; and the other way round.
  [[nodiscard]] MPI_Comm along_row() const { return along_row_; }
  [[nodiscard]] MPI_Comm along_column() const { return along_column_; }

 private:
  ProcessGrid grid_;
  bool has_me_;
  int row_, column_;
  MPI_Comm along_row_ = MPI_COMM_NULL, along_column_ = MPI_COMM_NULL;
};

/// A process' part of the N x (N + 1) matrix, whose column N is the right-hand side: row-major in
/// device memory, what is done to it, and where.
class LocalMatrix {
 public:
  LocalMatrix(const HplGrid& grid, Device& device, long size, int block);
  /// On a host, in memory fit for the copies of another device, which takes a share of the
  /// products.
  LocalMatrix(const HplGrid& grid, Device& host, long size, int block, Device& helper,
              std::unique_ptr<HplKernels> kernels);

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] HplKernels& kernels() const { return *kernels_; }
  [[nodiscard]] Stream& stream() const { return *stream_; }
  /// Whose copies reach for what lies on the host: the device, or where that is the host its
  /// helper.
  [[nodiscard]] Device& copier() const { return copier_; }
  /// Memory as the matrix' own.
  [[nodiscard]] Buffer<double> buffer(std::size_t count) const {
    return {copier_, count, &copier_ != &device_};
  }

  [[nodiscard]] long size() const { return size_; }
  [[nodiscard]] int block() const { return block_; }
  [[nodiscard]] long panels() const { return (size_ + block_ - 1) / block_; }
  [[nodiscard]] int width(long panel) const;  ///< its columns
  [[nodiscard]] const HplPart& part() const { return part_; }
  /// How many of the process' rows, or columns, stand before the panel's; those of the matrix
  /// where there is no such panel.
  [[nodiscard]] long rows_before(long panel) const { return part_.rows.count(start_of(panel)); }
  [[nodiscard]] long columns_before(long panel) const {
    return part_.columns.count(start_of(panel));
  }
  [[nodiscard]] long row_count() const { return part_.row_count; }
  /// With that of the right-hand side, where the process has it.
  [[nodiscard]] long column_count() const { return part_.column_count; }

  [[nodiscard]] double* at(long row, long column) const { return a_.data() + row * ld_ + column; }
  [[nodiscard]] long ld() const { return ld_; }

  /// The matrix as it is to be solved, from its hash.
  void fill();

  /// Bytes of the part of the process that has most.
  static std::size_t most_bytes(long size, int block, const ProcessGrid& grid);

 private:
  LocalMatrix(const HplGrid& grid, Device& device, Device& copier, long size, int block,
              std::unique_ptr<HplKernels> kernels);
  [[nodiscard]] long start_of(long panel) const { return std::min(panel * block_, size_); }

  Device &device_, &copier_;
  std::unique_ptr<HplKernels> kernels_;
  std::unique_ptr<Stream> stream_;
  long size_;
  int block_;
  HplPart part_;
  long ld_ = 0;
  Buffer<double> a_;
};

/// Doubles from row to row of so many columns: whole cache lines, an odd number of them, so that
/// the rows of a column do not all fall into the same sets of a cache.
long odd_lines(long columns);

}  // namespace bellwether
