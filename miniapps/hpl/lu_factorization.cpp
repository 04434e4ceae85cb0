// SPDX-License-Identifier: MIT
#include "miniapps/hpl/lu_factorization.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bellwether {
namespace {

/// An inverse with larger elements errs more than solving does.
constexpr double largest_in_inverse = 1e3;

/// What a panel's message begins with.
enum PanelHead { no_pivot_at, largest_in_inverse_at, panel_head = 8 };

long whole_lines(long values) { return (values + 7) / 8 * 8; }

/// What stands before the inverse, or the panel.
long head_values(int width) { return panel_head + whole_lines(width); }

/// Values of a message whose panel has so many rows and columns.
std::size_t message_values(long rows, int width) {
  return static_cast<std::size_t>(
      head_values(width) + whole_lines(static_cast<long>(width) * width) + odd_lines(rows) * width);
}

/// The most rows that a panel has on a process.
long most_rows(long size, int block, int processes) {
  return std::min<long>(block, size) + DealtOut{block, processes, 0}.count(size);
}

}  // namespace

std::size_t LuFactorization::most_bytes(long size, int block, const ProcessGrid& grid) {
  return 2 * sizeof(double) *
         message_values(most_rows(size, block, grid.rows),
                        static_cast<int>(std::min<long>(block, size)));
}

LuFactorization::LuFactorization(const HplGrid& grid, LocalMatrix& matrix,
                                 const HplVariant& variant, NodePath path)
    : grid_(grid),
      matrix_(matrix),
      look_ahead_(variant.look_ahead),
      broadcast_(grid.along_row(), matrix.copier(), variant.bcast,
                 variant.panel_on_device() && grid.columns() == 1
                     ? 1
                     : message_values(most_rows(matrix.size(), matrix.block(), grid.rows()),
                                      matrix.width(0)),
                 path),
      pivot_exchange_(grid.along_column(), matrix.width(0), path),
      panel_(matrix.width(0), variant.threads),
      update_(grid, matrix, variant, path),
      diagonal_(matrix.device(), static_cast<std::size_t>(matrix.width(0)) * matrix.width(0),
                true) {
  const bool alone = grid.rows() == 1;
  if (variant.panel_on_device() &&
      (matrix.device().is_host() || (variant.panel == "cusolver" && !alone)))
    throw std::invalid_argument("panels by " + variant.panel + ": found a grid of " +
                                std::to_string(grid.rows()) + " rows of processes on " +
                                matrix.device().description() +
                                ", expected a GPU, and of cusolver 1 row");
  if (matrix.device().is_host()) return;
  for (Buffer<double>& values : device_panels_)
    values = Buffer<double>(
        matrix.device(), most_bytes(matrix.size(), matrix.block(), {grid.rows(), grid.columns()}) /
                             (2 * sizeof(double)));
  copies_ = matrix.device().make_stream(variant.panel_on_device());
  taken_ = matrix.device().make_event(false);
  for (auto* events : {&arrived_, &used_})
    for (std::unique_ptr<Event>& event : *events) event = matrix.device().make_event(false);
  if (!variant.panel_on_device()) return;
  sends_ = grid.columns() > 1;
  device_panel_ = matrix.kernels().make_device_panel(
      matrix.device(),
      variant.panel == "cusolver" ? DevicePanelBy::cusolver : DevicePanelBy::kernels, panel_rows(0),
      matrix.width(0), *copies_);
  for (Buffer<int>& lists : lists_)
    if (alone) lists = Buffer<int>(matrix.device(), 3 * static_cast<std::size_t>(matrix.width(0)));
  if (!sends_)
    heads_ = Buffer<double>(
        matrix.device(), static_cast<std::size_t>(matrix.panels() * head_values(matrix.width(0))),
        true);
  use_device_panel_once();
}

/// Libraries and kernels load themselves to a GPU when they are first used. Freeing waits for it.
/// Collective over the process column.
void LuFactorization::use_device_panel_once() {
  constexpr int two_bases = 64;
  const int width = std::min(matrix_.width(0), two_bases);
  const long ldl = odd_lines(width);
  const Buffer<double> l(matrix_.device(), static_cast<std::size_t>(ldl * width) + 1);
  const Buffer<PanelPivot> pivots(matrix_.device(), static_cast<std::size_t>(width));
  pivot_exchange_.begin(0, matrix_.part().rows, 0);
  device_panel_->factor(l.data(), ldl, width, width, l.data() + ldl * width, pivots.data(),
                        *copies_, grid_.rows() == 1 ? nullptr : &pivot_exchange_);
}

/// Of this process: the diagonal block's, which all have, and those below.
long LuFactorization::panel_rows(long panel) const {
  return matrix_.width(panel) + matrix_.row_count() - matrix_.rows_before(panel + 1);
}

LuFactorization::Message LuFactorization::message(double* values, long panel) const {
  const int width = matrix_.width(panel);
  const long rows = panel_rows(panel);
  Message at{};
  at.head = values;
  at.pivots = reinterpret_cast<PanelPivot*>(values + panel_head);
  at.inverse = values + head_values(width);
  at.l = at.inverse + (device_panel_ ? 0 : whole_lines(static_cast<long>(width) * width));
  at.ldl = odd_lines(rows);
  at.values = static_cast<std::size_t>(at.l + at.ldl * width - at.head);
  return at;
}

LuFactorization::Product LuFactorization::first_product() {
  constexpr long enough_rows = 2048;
  const bool on_host = matrix_.device().is_host();
  const Message at = message(on_host ? broadcast_.values(0) : device_panels_[0].data(), 0);
  const int width = matrix_.width(0);
  const long below = matrix_.rows_before(1), columns = matrix_.column_count();
  const long rows = std::min(enough_rows, matrix_.row_count() - below);
  const double seconds = seconds_on(matrix_.device(), matrix_.stream(), [&] {
    matrix_.kernels().subtract_product(matrix_.at(below, 0), matrix_.ld(), at.l, at.ldl,
                                       matrix_.at(0, 0), matrix_.ld(), rows, columns, width,
                                       matrix_.stream());
  });
  return {static_cast<double>(rows), static_cast<double>(columns), static_cast<double>(width),
          seconds};
}

void LuFactorization::run(PhaseClock& clock, StreamTimer& timer,
                          const std::function<void(long)>& after_panel) {
  const long panels = matrix_.panels();
  no_pivot_ = -1;
  all_pivots_.clear();
  if (owns(0)) {
    broadcast_.make_room(0, clock);
    take_panel(0, clock, timer);
    factor_panel(0, clock, timer);
  } else {
    receive_panel(0, clock);
  }
  for (long panel = 0; panel < panels; ++panel) {
    keep_pace(panel);
    use_panel(panel, clock, timer);
    const long next = panel + 1;
    const long first = matrix_.columns_before(next), end = matrix_.column_count();
    const bool makes_next = next < panels && owns(next);
    const long behind = makes_next ? look_ahead_ ? first + matrix_.width(next) : end : first;
    if (makes_next) {
      update(first, behind, clock, timer);
      broadcast_.make_room(next, clock);
      take_panel(next, clock, timer);
    } else if (next < panels) {
      receive_panel(next, clock);
    }
    // A GPU works on the first part while the panel is factored, and the second's rows travel.
    const bool in_parts = look_ahead_ && !matrix_.device().is_host();
    const long second = in_parts ? update_.second_part(behind, end) : behind;
    update(behind, second, clock, timer);
    if (makes_next) factor_panel(next, clock, timer);
    update(second, end, clock, timer);
    if (copies_ != nullptr) matrix_.device().record(*used_[panel % 2], matrix_.stream());
    after_panel(std::min(next * matrix_.block(), matrix_.size()));
  }
  broadcast_.finish_all(clock);
  if (!sends_) note_all_pivots();
}

/// The host waits for the update by the panel before the last, where it waits for nothing else.
void LuFactorization::keep_pace(long panel) {
  if (!sends_) matrix_.device().fence(*used_[panel % 2]);
}

void LuFactorization::note_all_pivots() {
  matrix_.device().fence(*copies_);
  for (long panel = 0; panel < matrix_.panels(); ++panel) note_pivots(in_host_memory(panel), panel);
}

/// What the host has of a panel: all of it, or where none is sent what stands before L.
LuFactorization::Message LuFactorization::in_host_memory(long panel) const {
  return message(
      sends_ ? broadcast_.values(panel) : heads_.data() + panel * head_values(matrix_.width(0)),
      panel);
}

/// Begins to, into memory that the device has copied.
void LuFactorization::receive_panel(long panel, PhaseClock& clock) {
  if (copies_ != nullptr) matrix_.device().fence(*arrived_[panel % 2]);
  broadcast_.start(panel, static_cast<int>(panel % grid_.columns()),
                   message(broadcast_.values(panel), panel).values, clock);
}

void LuFactorization::update(long first, long end, PhaseClock& clock, StreamTimer& timer) {
  update_.update(first, end, clock, timer, [&] {
    if (!broadcast_.wants_progress()) return false;
    broadcast_.progress(clock);
    return broadcast_.wants_progress();
  });
}

/// The panel's columns to where it is composed, by when copies_ is done.
void LuFactorization::take_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  const Message at = message(broadcast_.values(panel), panel);
  Device& device = matrix_.device();
  Stream& stream = matrix_.stream();
  const int width = matrix_.width(panel);
  const bool has_diagonal = panel % grid_.rows() == grid_.row();
  const long column = matrix_.columns_before(panel);
  const long below = matrix_.rows_before(panel + 1);
  const auto take = [&](double* l) {
    if (has_diagonal)
      matrix_.kernels().take_panel(l, at.ldl, matrix_.at(matrix_.rows_before(panel), column),
                                   matrix_.ld(), width, width, stream);
    matrix_.kernels().take_panel(l + width, at.ldl, matrix_.at(below, column), matrix_.ld(),
                                 matrix_.row_count() - below, width, stream);
  };
  if (device.is_host()) {
    clock.time("compute.panel", [&] { take(at.l); });
    return;
  }
  const Message there = message(device_panels_[panel % 2].data(), panel);
  timer.time(clock, "compute.panel", stream, [&] { take(there.l); });
  device.record(*taken_, stream);
  device.wait(*copies_, *taken_);
  if (device_panel_) {
    if (has_diagonal && grid_.rows() > 1)
      copy_block(diagonal_.data(), width, there.l, there.ldl, width);
    return;
  }
  timer.time(clock, "copy.to_host", *copies_, [&] {
    device.copy(at.l, there.l, static_cast<std::size_t>(at.ldl * width) * sizeof(double), *copies_);
  });
}

/// The diagonal block of a panel at `at`, from the process that has it; a device has copied it by
/// then.
void LuFactorization::share_diagonal_block(const Message& at, long panel) {
  const int width = matrix_.width(panel);
  const int owner = static_cast<int>(panel % grid_.rows());
  const auto each_column = [&](auto&& copy) {
    for (int j = 0; j < width; ++j) copy(at.l + j * at.ldl, diagonal_.data() + j * width);
  };
  if (owner == grid_.row() && !device_panel_)
    each_column([&](double* l, double* block) { std::copy_n(l, width, block); });
  MPI_Bcast(diagonal_.data(), width * width, MPI_DOUBLE, owner, grid_.along_column());
  if (owner == grid_.row()) return;
  if (device_panel_)
    copy_block(at.l, at.ldl, diagonal_.data(), width, width);
  else
    each_column([&](double* l, double* block) { std::copy_n(block, width, l); });
}

/// Of a device's panel, or to it.
void LuFactorization::copy_block(double* to, long ld_to, const double* from, long ld_from,
                                 int width) {
  constexpr std::size_t value = sizeof(double);
  const auto columns = static_cast<std::size_t>(width);
  matrix_.device().copy_rows(to, static_cast<std::size_t>(ld_to) * value, from,
                             static_cast<std::size_t>(ld_from) * value, columns * value, columns,
                             *copies_);
}

/// `factor` with the other processes of the column, if there are any.
void LuFactorization::factor_with_column(const Message& at, long panel, PhaseClock& clock,
                                         const std::function<void(PivotChoice*)>& factor) {
  const bool alone = grid_.rows() == 1;
  if (!alone) clock.time("network.pivot", [&] { share_diagonal_block(at, panel); });
  clock.enter("compute.panel");
  const double begin = MPI_Wtime();
  pivot_exchange_.begin(panel * matrix_.block(), matrix_.part().rows,
                        matrix_.rows_before(panel + 1));
  factor(alone ? nullptr : &pivot_exchange_);
  clock.add("compute.panel", MPI_Wtime() - begin - pivot_exchange_.seconds());
  if (!alone) clock.add("network.pivot", pivot_exchange_.seconds());
}

/// The same on the device: in a stream of its own, beside the update.
void LuFactorization::factor_on_device(long panel, PhaseClock& clock, StreamTimer& timer) {
  Device& device = matrix_.device();
  const Message there = message(device_panels_[panel % 2].data(), panel);
  const Message at = in_host_memory(panel);
  const int width = matrix_.width(panel);
  const bool alone = grid_.rows() == 1;
  const auto factor = [&](PivotChoice* choice) {
    device_panel_->factor(there.l, there.ldl, panel_rows(panel), width, there.head + no_pivot_at,
                          there.pivots, *copies_, choice);
  };
  if (alone)
    factor(nullptr);
  else
    factor_with_column(there, panel, clock, factor);
  list_interchanges(panel);
  device.record(*arrived_[panel % 2], *copies_);
  if (!sends_) {
    device.copy(at.head, there.head, static_cast<std::size_t>(head_values(width)) * sizeof(double),
                *copies_);
    if (!alone) device.fence(*copies_);  // the host lists the interchanges
    return;
  }
  timer.time(clock, "copy.to_host", *copies_,
             [&] { device.copy(at.head, there.head, at.values * sizeof(double), *copies_); });
  device.fence(*copies_);
  broadcast_.start(panel, grid_.column(), at.values, clock);
}

/// In device memory, where all rows of the panel are there.
void LuFactorization::list_interchanges(long panel) {
  int* const lists = lists_[panel % 2].data();
  if (lists != nullptr)
    device_panel_->list_interchanges(lists, message(device_panels_[panel % 2].data(), panel).pivots,
                                     matrix_.width(panel), matrix_.rows_before(panel), *copies_);
}

/// Factors what take_panel() brought, and sends it.
void LuFactorization::factor_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  const bool host_has_part = !device_panel_ || grid_.rows() > 1;
  if (copies_ != nullptr && host_has_part) matrix_.device().fence(*copies_);
  if (device_panel_) return factor_on_device(panel, clock, timer);
  const Message at = in_host_memory(panel);
  const int width = matrix_.width(panel);
  factor_with_column(at, panel, clock, [&](PivotChoice* choice) {
    at.head[no_pivot_at] = panel_.factor(at.l, at.ldl, panel_rows(panel), width, at.pivots, choice);
    at.head[largest_in_inverse_at] = panel_.invert(at.inverse, at.l, at.ldl, width);
  });
  broadcast_.start(panel, grid_.column(), at.values, clock);
}

/// From the host to the device, with its interchanges where the device lists them; the update waits
/// for it.
void LuFactorization::bring_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  const Message at = message(broadcast_.values(panel), panel);
  const Message there = message(device_panels_[panel % 2].data(), panel);
  Device& device = matrix_.device();
  const auto wait = [&] { device.wait(matrix_.stream(), *arrived_[panel % 2]); };
  if (device_panel_ && owns(panel)) {
    if (grid_.rows() > 1) return wait();  // its time counts already
    return timer.time(clock, "compute.panel", matrix_.stream(), wait);
  }
  device.wait(*copies_, *used_[panel % 2]);
  timer.time(clock, "copy.to_device", *copies_,
             [&] { device.copy(there.head, at.head, at.values * sizeof(double), *copies_); });
  list_interchanges(panel);
  device.record(*arrived_[panel % 2], *copies_);
  wait();
}

/// The panel is there, and its update may begin.
void LuFactorization::use_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  if (sends_) broadcast_.finish(panel, clock);
  const Message at = in_host_memory(panel);
  const int width = matrix_.width(panel);
  Stream& stream = matrix_.stream();
  Message used = at;
  if (!matrix_.device().is_host()) {
    used = message(device_panels_[panel % 2].data(), panel);
    bring_panel(panel, clock, timer);
  }
  if (sends_) note_pivots(at, panel);
  clock.time("swap", [&] {
    update_.begin({panel, width, used.inverse,
                   !device_panel_ && at.head[largest_in_inverse_at] <= largest_in_inverse, used.l,
                   used.ldl, lists_[panel % 2].data(), arrived_[panel % 2].get()},
                  at.pivots);
  });
  // U11, for the back substitution.
  if (owns(panel) && panel % grid_.rows() == grid_.row())
    timer.time(clock, "compute.panel", stream, [&] {
      matrix_.kernels().put_panel(
          matrix_.at(matrix_.rows_before(panel), matrix_.columns_before(panel)), matrix_.ld(),
          used.l, used.ldl, width, width, stream);
    });
}

void LuFactorization::note_pivots(const Message& at, long panel) {
  const int width = matrix_.width(panel);
  const long first = panel * matrix_.block();
  if (no_pivot_ < 0 && at.head[no_pivot_at] >= 0)
    no_pivot_ = first + static_cast<long>(at.head[no_pivot_at]);
  for (int t = 0; t < width; ++t) {
    const PanelPivot& pivot = at.pivots[t];
    const DealtOut rows{matrix_.block(), grid_.rows(), pivot.process};
    all_pivots_.push_back(pivot.row < width
                              ? first + pivot.row
                              : rows.global(rows.count(first + width) + pivot.row - width));
  }
}

}  // namespace bellwether
