// SPDX-License-Identifier: MIT
#include "miniapps/hpl/pivot_exchange.hpp"

#include <algorithm>

namespace bellwether {
namespace {

constexpr int exchange_tag = 1;
/// What stands before a candidate's values: its size, its row in the matrix, whose it is, and its
/// row there.
enum CandidateHead { size_at, place_at, process_at, row_at, candidate_head };

bool is_better(const double* one, const double* other) {
  return one[size_at] > other[size_at] ||
         (one[size_at] == other[size_at] && one[place_at] < other[place_at]);
}

}  // namespace

PivotExchange::PivotExchange(MPI_Comm column, int most_width, NodePath path)
    : column_(column), best_(most_width + candidate_head), other_(most_width + candidate_head) {
  MPI_Comm_rank(column, &process_);
  MPI_Comm_size(column, &processes_);
  if (processes_ == 1 || path == NodePath::messages) return;
  window_ = SharedWindow(column, 2 * best_.size());
  if (!window_.has_all()) window_ = {};
}

void PivotExchange::begin(long first_row, const DealtOut& rows, long rows_before) {
  first_row_ = first_row;
  rows_ = rows;
  rows_before_ = rows_before;
  seconds_ = 0;
}

PanelPivot PivotExchange::choose(double size, int row, double* values, int width) {
  const double begin = MPI_Wtime();
  const long place = row < width ? first_row_ + row : rows_.global(rows_before_ + row - width);
  best_[size_at] = size;
  best_[place_at] = static_cast<double>(place);
  // All have the first rows: whoever brings one brings the same.
  best_[process_at] = row < width ? 0 : process_;
  best_[row_at] = row;
  std::copy_n(values, width, best_.begin() + candidate_head);
  if (window_)
    agree_in_memory(width + candidate_head);
  else
    agree_by_messages(width + candidate_head);
  std::copy_n(best_.begin() + candidate_head, width, values);
  seconds_ += MPI_Wtime() - begin;
  return {static_cast<int>(best_[process_at]), static_cast<int>(best_[row_at])};
}

void PivotExchange::agree_by_messages(int values) {
  for (int step = 1; step < processes_; step *= 2) {
    const int to = (process_ + step) % processes_;
    const int from = (process_ - step + processes_) % processes_;
    MPI_Sendrecv(best_.data(), values, MPI_DOUBLE, to, exchange_tag, other_.data(), values,
                 MPI_DOUBLE, from, exchange_tag, column_, MPI_STATUS_IGNORE);
    if (is_better(other_.data(), best_.data())) best_.swap(other_);
  }
}

/// Who writes its next but one has seen all others' next, which they wrote when they had done with
/// this one.
void PivotExchange::agree_in_memory(int values) {
  const std::size_t turn = ++agreements_ % 2 * best_.size();
  std::copy_n(best_.begin(), values, window_.of(process_) + turn);
  window_.come_to(agreements_);
  window_.wait_for_all(agreements_);
  const double* best = window_.of(0) + turn;
  for (int process = 1; process < processes_; ++process) {
    const double* const other = window_.of(process) + turn;
    if (is_better(other, best)) best = other;
  }
  std::copy_n(best, values, best_.begin());
}

}  // namespace bellwether
