// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "miniapps/comm/shared_window.hpp"
#include "miniapps/hpl/hpl_variant.hpp"
#include "miniapps/hpl/moved_rows.hpp"
#include "miniapps/hpl/swap_stream.hpp"

namespace bellwether {

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

/// Where U of some columns stands, row-major.
struct UpperRows {
  double* values = nullptr;
  long ld = 0;
};

/// The row interchanges of a strip of columns, which end with its U = L11^-1 W: on one process
/// where the rows are; in memory that all processes of a column on one node see, except where
/// binary exchange is asked for; else by messages, spread and rolled or in rounds. On the stream of
/// swaps; phases, where nothing goes on beside it: swap, network.swap.
class RowExchange {
 public:
  /// U = L11^-1 W of so many columns, both row-major.
  using Solve = std::function<void(UpperRows u, UpperRows w, long columns)>;

  /// Collective over the process column. `strip`: the most columns of an exchange. `solve` is
  /// called in each. All that it is given outlives it.
  RowExchange(const HplGrid& grid, const LocalMatrix& matrix, SwapStream& swaps,
              const HplVariant& variant, NodePath path, long strip, Solve solve);

  /// The panel whose interchanges follow: `lists`, in device memory, or null and the pivots.
  void begin(long panel, int width, const PanelPivot* pivots, const int* lists);
  /// Where U of the columns from `first` to `end` will be, whose strips' exchanges follow.
  UpperRows start(long first, long end, PhaseClock& clock, StreamTimer& timer);
  /// Collective over the process column. Of the strip that begins at `column`; its U goes to `u`.
  void exchange(double* u, long column, long columns);

 private:
  /// In a process' part of the window: its slice of W, the rows displaced to it, and at the first
  /// process U of all columns.
  [[nodiscard]] double* shared_w(int process) const { return window_.of(process); }
  [[nodiscard]] double* shared_displaced(int process) const;
  [[nodiscard]] double* shared_u() const;
  void alone(double* u, long column, long columns);
  void exchange_in_memory(double* u, long column, long columns);
  void spread_and_roll(double* u, long column, long columns);
  void exchange_in_rounds(double* u, long column, long columns);
  void swap(const std::function<void()>& copies);
  void network(const std::function<void()>& messages);
  void keep_displaced(long column, long columns);
  void take_displaced(const double* values, long column, long columns);
  [[nodiscard]] double* top_rows(long column) const;

  const HplGrid& grid_;
  const LocalMatrix& matrix_;
  SwapStream& swaps_;
  HplVariant variant_;
  MovedRows moved_;
  long strip_;
  Solve solve_;

  UpperRows upper_;
  int width_ = 0;        ///< of the panel
  SharedWindow window_;  ///< none: by messages
  Buffer<double> w_, u_;
  StagedValues outgoing_, incoming_;
  PhaseClock* clock_ = nullptr;
  StreamTimer* timer_ = nullptr;
};

}  // namespace bellwether
