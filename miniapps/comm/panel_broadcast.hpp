// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/shared_window.hpp"
#include "models/network/trees.hpp"

namespace bellwether {

/// Panels on their way along a process row, two at a time: within a node copied out of the sender's
/// memory (a shared window), between nodes sent. All call the same functions in order.
class PanelBroadcast {
 public:
  /// Collective over `row`. Each panel has at most so many values. `device`: panels on a GPU's host
  /// lie in memory fit for its copies, and go by messages everywhere.
  PanelBroadcast(MPI_Comm row, Device& device, const std::string& algorithm, std::size_t values,
                 NodePath path = NodePath::shared_memory);
  PanelBroadcast(const PanelBroadcast&) = delete;
  PanelBroadcast& operator=(const PanelBroadcast&) = delete;

  /// Where panel number `panel` is composed, or comes to be; aligned to a cache line.
  [[nodiscard]] double* values(long panel) const { return slots_[panel % slot_count].values; }
  /// For its owner, before it composes the panel: until nobody needs the one before in that place.
  void make_room(long panel, PhaseClock& clock);
  /// The owner sends so many values; the others begin to receive. The time counts as
  /// network.broadcast.
  void start(long panel, int owner, std::size_t values, PhaseClock& clock);
  /// Lets panels go on without waiting; the time counts as network.broadcast.
  void progress(PhaseClock& clock);
  /// Whether progress() would serve somebody else: another process waits for what this one passes
  /// on, or MPI cannot go on without it.
  [[nodiscard]] bool wants_progress() const;
  /// Until the panel is there. Waiting for its owner counts as wait, the rest as
  /// network.broadcast.
  void finish(long panel, PhaseClock& clock);
  /// Until the panel has set out to the last of those it is passed on to; the time counts as
  /// network.broadcast.
  void pass_on_to_all(long panel, PhaseClock& clock);
  /// Until all panels have left.
  void finish_all(PhaseClock& clock);
  /// Whether processes of a node see each other's panels.
  [[nodiscard]] bool shares_memory() const { return static_cast<bool>(window_); }

 private:
  static constexpr long slot_count = 2;
  enum class Stage { idle, making_room, receiving, there };

  struct Slot {
    double* values = nullptr;
    std::size_t offset = 0;  ///< in each process' part of the window
    Stage stage = Stage::idle;
    BroadcastTree tree;
    std::size_t count = 0;
    int tag = 0;
    MPI_Request ready = MPI_REQUEST_NULL;  ///< that the owner has it
    bool has_told = false;                 ///< the children so
    std::vector<MPI_Request> incoming;     ///< of each segment; or that the parent's slot is full
    std::size_t arrived = 0;
    std::vector<MPI_Request> leaving;  ///< until the slot may be filled again
    std::vector<int> in_turn;    ///< children whose message waits for another's, the last first
    std::size_t turn_count = 0;  ///< values of theirs: `count` may be the next panel's
    MPI_Request last_sent = MPI_REQUEST_NULL;  ///< of those
  };

  /// The same slot of another process; null: not seen from here.
  [[nodiscard]] const double* of_process(const Slot& slot, int process) const {
    const double* const values = window_.of(process);
    return values != nullptr ? values + slot.offset : nullptr;
  }
  void start(Slot& slot, int owner, std::size_t values);
  void receive(Slot& slot);
  void advance(Slot& slot);
  void tell(Slot& slot);
  void pass_on(Slot& slot, std::size_t segment);
  void send_in_turn(Slot& slot);
  [[nodiscard]] std::size_t segment_begin(const Slot& slot, std::size_t segment) const;
  bool has_left(Slot& slot);
  [[nodiscard]] bool by_message(const Slot& slot, int other) const {
    return of_process(slot, other) == nullptr;
  }

  MPI_Comm row_;
  int process_ = 0, processes_ = 1;
  std::string algorithm_;
  SharedWindow window_;
  std::vector<Buffer<double>> own_;
  std::array<Slot, slot_count> slots_;
};

}  // namespace bellwether
