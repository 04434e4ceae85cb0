// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "miniapps/cholesky/column_matrix.hpp"
#include "miniapps/comm/panel_broadcast.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/stream_timer.hpp"

namespace bellwether {

/// A = L L^T of a matrix whose columns, or blocks of them, are dealt out in turn, panel by panel:
/// the owner factors a panel and sends it to all, and every process updates its later columns.
/// Look-ahead: the owner of the next panel updates, factors and sends it first, while the others
/// update theirs. L replaces the matrix. Phases: compute.scale, wait, network.broadcast,
/// compute.update; copy.to_host and copy.to_device of panels on a GPU.
template <class T>
class ColumnFactorization {
 public:
  /// Collective over the communicator, whose processes have the matrix. All outlive it.
  ColumnFactorization(MPI_Comm comm, const ColumnMatrix<T>& matrix, bool look_ahead,
                      NodePath path = NodePath::shared_memory);

  /// Factors the matrix as fill() left it. `after_panel` is told how many columns are done.
  void run(PhaseClock& clock, StreamTimer& timer, const std::function<void(long)>& after_panel);

  /// What one panel does to columns behind it, by itself.
  struct Update {
    double values = 0, flops = 0;
    double seconds = 0;
  };
  /// Of the process' columns behind its own panel number `own`, by that; no values where there are
  /// none. Timed it spoils the matrix.
  [[nodiscard]] Update update_by(long own) const;
  Update time_update_by(long own);

  /// Bytes of host memory for panels, and on a GPU of its own, of the process that has most.
  static double host_bytes(long size, int block, int processes);
  static double device_bytes(long size, int block, int processes, bool is_host);

 private:
  /// A panel that is used: from row `row` on, columns `ld` values apart, in device memory.
  struct Panel {
    const T* l = nullptr;
    long ld = 0, row = 0, width = 0;
  };
  /// How a panel travels: the rows from the line of its first diagonal on, columns `ld` apart.
  struct Message {
    long row = 0, rows = 0, ld = 0, width = 0;
    [[nodiscard]] std::size_t values() const { return static_cast<std::size_t>(ld * width); }
    [[nodiscard]] std::size_t doubles() const { return values() * sizeof(T) / sizeof(double); }
  };
  static Message message(long size, long first, long width);
  [[nodiscard]] Message message(long panel) const {
    return message(matrix_.size(), matrix_.first_of(panel), matrix_.width(panel));
  }
  [[nodiscard]] T* sent(long panel) const { return reinterpret_cast<T*>(broadcast_.values(panel)); }

  void begin_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void finish_panel(long panel, PhaseClock& clock);
  void await(long panel, PhaseClock& clock);
  void use_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void update(long first, long end, PhaseClock& clock, StreamTimer& timer);
  void update_by_column(long first, long end, PhaseClock& clock, StreamTimer& timer);
  void update_by_block(long first, long end, PhaseClock& clock, StreamTimer& timer);
  [[nodiscard]] bool others_wait(PhaseClock& clock);

  const ColumnMatrix<T>& matrix_;
  bool look_ahead_, is_host_;
  PanelBroadcast broadcast_;
  Panel panel_;
  Buffer<T> rows_;  ///< of a panel, those of the own columns
  // On a GPU alone: a stream on which panels are factored and copied while columns are updated.
  std::array<Buffer<T>, 2> device_panels_;
  std::unique_ptr<Stream> panel_stream_;
  std::unique_ptr<Event> updated_, ready_;
  std::array<std::unique_ptr<Event>, 2> used_;
};

}  // namespace bellwether
