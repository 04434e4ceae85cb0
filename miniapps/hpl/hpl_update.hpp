// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "miniapps/comm/shared_window.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/hpl/hpl_variant.hpp"
#include "miniapps/hpl/local_matrix.hpp"
#include "miniapps/hpl/row_swap.hpp"

namespace bellwether {

/// A factored panel as it stands in device memory.
struct FactoredPanel {
  long number = 0;
  int width = 0;
  const double* inverse = nullptr;  ///< of L11, width x width; not to be used if it grew too far
  bool use_inverse = true;
  const double* l = nullptr;  ///< column-major: L11 first, then the process' rows below
  long ldl = 0;
};

/// Values that go between processes: in device memory, and in the host's for MPI.
class StagedValues {
 public:
  StagedValues() = default;
  StagedValues(Device& device, std::size_t count);
  [[nodiscard]] double* on_device() const { return on_device_.data(); }
  [[nodiscard]] double* on_host() const {
    return on_host_.data() != nullptr ? on_host_.data() : on_device_.data();
  }
  /// Copies so many from `first` on to the host and waits; nothing where that is the device.
  void to_host(Device& device, long first, long count, Stream& stream) const;
  void to_device(Device& device, long first, long count, Stream& stream) const;

 private:
  Buffer<double> on_device_, on_host_;
};

/// What a panel does to the columns behind it: its row interchanges, U = L11^-1 of the top rows,
/// a strip of columns at a time, and the matrix product of all. Phases: swap, network.swap,
/// compute.trsm, compute.gemm. Processes of a column that stand on one node write rows where they
/// belong, in memory that all of them see, except where binary exchange is asked for; others send
/// them.
class HplUpdate {
 public:
  /// Collective over the process column.
  HplUpdate(const HplGrid& grid, const LocalMatrix& matrix, const HplVariant& variant,
            NodePath path);

  /// The panel, whose update follows. Its memory stays as it is until the last update by it.
  void begin(const FactoredPanel& panel, const PanelPivot* pivots);
  /// Collective over the process column. The process' columns from `first` to `end`. `go_on` is
  /// called before the product and between pieces of it: it lets messages go on, and says whether
  /// there will be more of them, for which the product is cut into pieces.
  void update(long first, long end, PhaseClock& clock, StreamTimer& timer,
              const std::function<bool()>& go_on);

  /// Device memory for strips and U, in bytes, of a part as large as the largest.
  static std::size_t most_bytes(long size, int block, const ProcessGrid& grid);

 private:
  /// Where U is: in the window, or at the process that has the rows in their place in the matrix.
  struct Upper {
    double* values = nullptr;
    long ld = 0;
  };
  struct List {
    long first = 0, count = 0;
  };

  /// In a process' part of the window: its slice of W, the rows displaced to it, and at the first
  /// process U of all columns.
  [[nodiscard]] double* shared_w(int process) const { return window_.of(process); }
  [[nodiscard]] double* shared_displaced(int process) const;
  [[nodiscard]] double* shared_u() const;
  [[nodiscard]] const int* at(const List& list) const { return lists_.data() + list.first; }
  // Row interchanges of a strip, and its U.
  void alone(double* u, long column, long columns);
  void exchange_in_memory(double* u, long column, long columns);
  void spread_and_roll(double* u, long column, long columns);
  void exchange_in_rounds(double* u, long column, long columns);
  void triangle(double* u, long ldu, double* w, long ldw, long columns);
  void swap(const std::function<void()>& copies);
  void network(const std::function<void()>& messages);
  void keep_displaced(long column, long columns);
  void take_displaced(const double* values, long column, long columns);
  [[nodiscard]] double* top_rows(long column) const;

  const HplGrid& grid_;
  const LocalMatrix& matrix_;
  HplVariant variant_;
  long strip_;

  FactoredPanel panel_;
  Upper upper_;
  int owner_ = 0;  ///< process row of the diagonal block
  long top_ = 0;   ///< its first row there
  /// Rows of the process that go to U, and to whose places they go, by process; displaced rows by
  /// the process they go to, where they stand at the owner and where this process puts its own.
  List own_;
  std::vector<List> places_, displaced_from_;
  List displaced_to_;
  std::vector<int> entries_;
  Buffer<int> lists_;

  SharedWindow window_;  ///< none: by messages
  Buffer<double> w_, u_;
  StagedValues outgoing_, incoming_;
  PhaseClock* clock_ = nullptr;
  StreamTimer* timer_ = nullptr;
};

}  // namespace bellwether
