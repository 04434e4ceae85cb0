// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "kernels/hpl/hpl_matrix.hpp"
#include "kernels/hpl/hpl_panel.hpp"
#include "miniapps/comm/shared_window.hpp"

namespace bellwether {

/// The processes of a column agree on a pivot. Those of one node look at what each brings in memory
/// that all see; else in ceil(log2 P) rounds each sends the best that it knows, with its row, to a
/// process twice as far as before, until all know the best of all (dissemination; Hensgen, Finkel,
/// Manber 1988).
class PivotExchange final : public PivotChoice {
 public:
  /// Collective. `most_width`: of a panel.
  PivotExchange(MPI_Comm column, int most_width, NodePath path = NodePath::shared_memory);

  /// For the panel that follows: where in the matrix its first row stands, and the process' own
  /// rows, of which `rows_before` stand above or in the diagonal block.
  void begin(long first_row, const DealtOut& rows, long rows_before);
  /// Since begin().
  [[nodiscard]] double seconds() const { return seconds_; }

  [[nodiscard]] int process() const override { return process_; }
  PanelPivot choose(double size, int row, double* values, int width) override;

 private:
  void agree_by_messages(int values);
  void agree_in_memory(int values);

  MPI_Comm column_;
  int process_ = 0, processes_ = 1;
  long first_row_ = 0, rows_before_ = 0;
  DealtOut rows_;
  double seconds_ = 0;
  std::vector<double> best_, other_;
  SharedWindow window_;  ///< two candidates of each process, in turn
  std::uint64_t agreements_ = 0;
};

}  // namespace bellwether
