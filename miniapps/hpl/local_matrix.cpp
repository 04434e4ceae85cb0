// SPDX-License-Identifier: MIT
#include "miniapps/hpl/local_matrix.hpp"

#include <algorithm>
#include <utility>

namespace bellwether {
namespace {

HplPart part_of(const HplGrid& grid, long size, int block) {
  HplPart part{{block, grid.rows(), grid.row()}, {block, grid.columns(), grid.column()}, 0, 0};
  if (!grid.has_me()) return part;
  part.row_count = part.rows.count(size);
  part.column_count = part.columns.count(size + 1);
  return part;
}

}  // namespace

HplGrid::HplGrid(const Session& session, const ProcessGrid& grid)
    : grid_(grid),
      has_me_(session.rank() < grid.rows * grid.columns),
      row_(grid.row_of(session.rank())),
      column_(grid.column_of(session.rank())) {
  MPI_Comm_split(session.world(), has_me_ ? row_ : MPI_UNDEFINED, column_, &along_row_);
  MPI_Comm_split(session.world(), has_me_ ? column_ : MPI_UNDEFINED, row_, &along_column_);
}

HplGrid::~HplGrid() {
  if (!has_me_ || std::uncaught_exceptions() > 0) return;
  MPI_Comm_free(&along_row_);
  MPI_Comm_free(&along_column_);
}

long odd_lines(long columns) {
  constexpr long line = 8;
  const long lines = (columns + line - 1) / line;
  return line * (lines % 2 == 0 ? lines + 1 : lines);
}

LocalMatrix::LocalMatrix(const HplGrid& grid, Device& device, long size, int block)
    : LocalMatrix(grid, device, device, size, block, make_kernels<HplKernels>(device)) {}

LocalMatrix::LocalMatrix(const HplGrid& grid, Device& host, long size, int block, Device& helper,
                         std::unique_ptr<HplKernels> kernels)
    : LocalMatrix(grid, host, helper, size, block, std::move(kernels)) {}

LocalMatrix::LocalMatrix(const HplGrid& grid, Device& device, Device& copier, long size, int block,
                         std::unique_ptr<HplKernels> kernels)
    : device_(device),
      copier_(copier),
      kernels_(std::move(kernels)),
      stream_(device.make_stream(false)),
      size_(size),
      block_(block),
      part_(part_of(grid, size, block)),
      ld_(odd_lines(part_.column_count)) {
  if (grid.has_me()) a_ = buffer(static_cast<std::size_t>(part_.row_count * ld_));
}

int LocalMatrix::width(long panel) const {
  return static_cast<int>(std::min<long>(block_, size_ - panel * block_));
}

void LocalMatrix::fill() {
  kernels_->fill(a_.data(), ld_, part_, *stream_);
  device_.fence(*stream_);
}

std::size_t LocalMatrix::most_bytes(long size, int block, const ProcessGrid& grid) {
  const DealtOut rows{block, grid.rows, 0}, columns{block, grid.columns, 0};
  // The first process has at least as much as any other.
  return static_cast<std::size_t>(rows.count(size) * odd_lines(columns.count(size + 1))) *
         sizeof(double);
}

}  // namespace bellwether
