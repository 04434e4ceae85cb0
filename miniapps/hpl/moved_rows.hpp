// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/hpl/hpl_panel.hpp"
#include "miniapps/hpl/local_matrix.hpp"

namespace bellwether {

/// All row interchanges of a panel as one permutation. The rows of its diagonal block ("top") go
/// where the pivots came from, and nowhere else: each row below that the permutation moves gets one
/// of them.
struct Interchanges {
  struct Row {
    int process;  ///< of the process column; -1: one of the top rows
    int row;      ///< in that process' panel
  };
  struct Displaced {
    Row to;   ///< below
    int top;  ///< which of the top rows comes there
  };
  std::vector<Row> top;  ///< for each top row what comes there: the rows of U, before L^-1
  std::vector<Displaced> displaced;
};
/// Of pivots in the order in which they were chosen. `width`: of the panel.
Interchanges interchanges_of(const PanelPivot* pivots, int width);

/// The rows that a panel's interchanges move into, out of and within a process' part of the matrix,
/// as lists in device memory: the rows of U, and the top rows that they displace.
class MovedRows {
 public:
  struct List {
    long first = 0, count = 0;
  };

  MovedRows(const HplGrid& grid, const LocalMatrix& matrix);

  /// Those of a panel of so many columns; in device memory when the stream gets there.
  void list(long panel, int width, const PanelPivot* pivots, Stream& stream);
  /// The same on a grid of one row of processes, as HplDevicePanel lists them in device memory.
  void take_listed(long panel, int width, const int* lists);
  /// In device memory.
  [[nodiscard]] const int* at(const List& list) const { return listed_ + list.first; }

  int owner = 0;  ///< process row of the diagonal block
  long top = 0;   ///< its first row there
  /// Rows of the process that go to U, and to whose places they go, by process; displaced rows by
  /// the process they go to, where they stand at the owner and where this process puts its own.
  List own;
  std::vector<List> places, displaced_from;
  List displaced_to;

 private:
  const HplGrid& grid_;
  const LocalMatrix& matrix_;
  std::vector<int> entries_;
  Buffer<int> lists_;
  const int* listed_ = nullptr;
  /// On their way to the device, in turn, so that the host need not wait for it.
  struct Upload {
    Buffer<int> entries;
    std::unique_ptr<Event> done;
  };
  std::array<Upload, 2> uploads_;
  std::size_t turn_ = 0;
};

}  // namespace bellwether
