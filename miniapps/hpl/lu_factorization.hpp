// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "miniapps/comm/panel_broadcast.hpp"
#include "miniapps/hpl/hpl_update.hpp"
#include "miniapps/hpl/pivot_exchange.hpp"

namespace bellwether {

/// LU with row pivoting of a matrix dealt out over a grid, panel by panel, and what goes with it
/// for the right-hand side, so that back substitution is left. Look-ahead: the next panel's columns
/// are updated first, and it is factored and sent while the other processes update theirs.
/// Phases: those of HplUpdate, compute.panel, network.pivot, wait, network.broadcast; copy.to_host
/// and copy.to_device of panels on a GPU. Where the device factors panels (variant.panel), which it
/// does beside the update, compute.panel has what the update waited for; on one process nothing is
/// copied, and the host waits for the device only so as not to be more than two panels ahead of it.
/// With several rows of processes the host waits for each column's pivot, and compute.panel has all
/// of a panel's time but network.pivot.
class LuFactorization {
 public:
  /// Collective over the grid's processes, which alone make one. All outlive it. cuSOLVER's panels
  /// want one row of processes. Throws std::runtime_error where a library is missing.
  LuFactorization(const HplGrid& grid, LocalMatrix& matrix, const HplVariant& variant,
                  NodePath path = NodePath::shared_memory);

  struct Product {
    double rows = 0, columns = 0, inner = 0;
    double seconds = 0;
    [[nodiscard]] double flops() const { return 2 * rows * columns * inner; }
  };
  /// A product as the first panel's, but of no more rows than its rate needs. It spoils the matrix.
  /// Libraries take memory, and load themselves to a GPU, when they are first used.
  Product first_product();
  /// Factors the matrix as fill() left it. `after_panel` is told how many columns are done.
  void run(PhaseClock& clock, StreamTimer& timer, const std::function<void(long)>& after_panel);

  /// The first column of the last run that had no pivot, the same on every process; -1: none.
  [[nodiscard]] long column_without_pivot() const { return no_pivot_; }
  /// Of the last run, where the matrix' row n was exchanged with: as LAPACK's ipiv, from 0. The
  /// same on every process.
  [[nodiscard]] const std::vector<long>& pivots() const { return all_pivots_; }
  /// That factors panels on the device; empty: none, this program's kernels or the host.
  [[nodiscard]] std::string panel_library() const {
    return device_panel_ ? device_panel_->library() : "";
  }
  [[nodiscard]] bool shares_memory() const { return broadcast_.shares_memory(); }

  /// Bytes of host memory, or on a GPU of each, for panels of the largest part.
  static std::size_t most_bytes(long size, int block, const ProcessGrid& grid);

 private:
  /// A panel as it travels: what there is to say of it, the pivots, inv(L11), and the columns. What
  /// the device factors has no inverse: the host would have to wait to know that it may be used.
  struct Message {
    double* head;
    PanelPivot* pivots;
    double* inverse;
    double* l;
    long ldl;
    std::size_t values;
  };
  [[nodiscard]] Message message(double* values, long panel) const;
  [[nodiscard]] Message in_host_memory(long panel) const;
  [[nodiscard]] long panel_rows(long panel) const;
  [[nodiscard]] bool owns(long panel) const { return panel % grid_.columns() == grid_.column(); }

  void receive_panel(long panel, PhaseClock& clock);
  void take_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void factor_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void use_device_panel_once();
  void factor_on_device(long panel, PhaseClock& clock, StreamTimer& timer);
  void bring_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void keep_pace(long panel);
  void note_all_pivots();
  void factor_with_column(const Message& at, long panel, PhaseClock& clock,
                          const std::function<void(PivotChoice*)>& factor);
  void share_diagonal_block(const Message& at, long panel);
  void copy_block(double* to, long ld_to, const double* from, long ld_from, int width);
  void list_interchanges(long panel);
  void use_panel(long panel, PhaseClock& clock, StreamTimer& timer);
  void note_pivots(const Message& at, long panel);
  void update(long first, long end, PhaseClock& clock, StreamTimer& timer);

  const HplGrid& grid_;
  LocalMatrix& matrix_;
  bool look_ahead_;
  PanelBroadcast broadcast_;
  PivotExchange pivot_exchange_;
  HplPanel panel_;
  HplUpdate update_;
  // On a GPU alone: panels, and a stream for their copies, and for those that the device factors,
  // which the update goes on beside.
  Buffer<double> device_panels_[2];
  std::unique_ptr<Stream> copies_;
  std::unique_ptr<HplDevicePanel> device_panel_;  ///< null: the host factors
  bool sends_ = true;                             ///< panels go through the host to other processes
  Buffer<int> lists_[2];  ///< of interchanges, of a panel from the device; none with rows elsewhere
  Buffer<double> heads_;  ///< of all panels up to L, if none is sent
  std::unique_ptr<Event> taken_;       ///< the next panel's columns stand on the device
  std::unique_ptr<Event> arrived_[2];  ///< a panel stands there factored; the host's is free
  std::unique_ptr<Event> used_[2];     ///< the update by it is done
  Buffer<double> diagonal_;            ///< block, on its way to the processes of the column
  std::vector<long> all_pivots_;
  long no_pivot_ = -1;
};

}  // namespace bellwether
