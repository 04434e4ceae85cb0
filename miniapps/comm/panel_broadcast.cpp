// SPDX-License-Identifier: MIT
#include "miniapps/comm/panel_broadcast.hpp"

#include <algorithm>
#include <cstring>

namespace bellwether {
namespace {

/// Of a slot; the next slot's are one higher.
constexpr int data_tag = 10, ready_tag = 20, done_tag = 30;
constexpr std::size_t line = 8;  // values in a cache line
constexpr const char* phase = "network.broadcast";

bool has_come(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;  // SimGrid's MPI would leave `done` as it is
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

std::size_t whole_lines(std::size_t values) { return (values + line - 1) / line * line; }

}  // namespace

PanelBroadcast::PanelBroadcast(MPI_Comm row, Device& device, const std::string& algorithm,
                               std::size_t values, NodePath path)
    : row_(row), algorithm_(algorithm) {
  MPI_Comm_rank(row, &process_);
  MPI_Comm_size(row, &processes_);
  (void)broadcast_tree(algorithm, processes_, 0, 0);  // refuses what is no algorithm
  // Without a window, where there is no room for it either, panels go by messages.
  if (path == NodePath::shared_memory && device.is_host() && processes_ > 1)
    window_ = SharedWindow(row, slots_.size() * whole_lines(values));
  for (std::size_t n = 0; n < slots_.size(); ++n) {
    Slot& slot = slots_[n];
    slot.tag = static_cast<int>(n);
    slot.offset = n * whole_lines(values);
    if (shares_memory()) {
      slot.values = window_.of(process_) + slot.offset;
    } else {
      own_.emplace_back(device, values, !device.is_host());
      slot.values = own_.back().data();
      std::fill_n(slot.values, values, 0.);  // so that its pages are there
    }
  }
}

std::size_t PanelBroadcast::segment_begin(const Slot& slot, std::size_t segment) const {
  const auto segments = static_cast<std::size_t>(slot.tree.segments);
  return segment == segments ? slot.count : slot.count / segments / line * line * segment;
}

bool PanelBroadcast::has_left(Slot& slot) {
  send_in_turn(slot);
  if (!slot.in_turn.empty() || !has_come(slot.last_sent)) return false;
  int done = 0;
  MPI_Testall(static_cast<int>(slot.leaving.size()), slot.leaving.data(), &done,
              MPI_STATUSES_IGNORE);
  if (done != 0) slot.leaving.clear();
  return done != 0;
}

void PanelBroadcast::make_room(long panel, PhaseClock& clock) {
  Slot& slot = slots_[panel % slot_count];
  if (has_left(slot)) return;
  clock.time(phase, [&] {
    while (!has_left(slot))
      for (Slot& other : slots_) advance(other);
  });
}

void PanelBroadcast::start(long panel, int owner, std::size_t values, PhaseClock& clock) {
  if (processes_ == 1)
    slots_[panel % slot_count].stage = Stage::there;
  else
    clock.time(phase, [&] { start(slots_[panel % slot_count], owner, values); });
}

void PanelBroadcast::start(Slot& slot, int owner, std::size_t values) {
  slot.count = values;
  slot.arrived = 0;
  slot.has_told = false;
  slot.tree = broadcast_tree(algorithm_, processes_, owner, process_,
                             static_cast<double>(values * sizeof(double)));
  if (owner != process_) {
    slot.stage = Stage::making_room;
    MPI_Irecv(nullptr, 0, MPI_DOUBLE, slot.tree.parent, ready_tag + slot.tag, row_, &slot.ready);
    advance(slot);
    return;
  }
  slot.stage = Stage::there;
  tell(slot);
  for (std::size_t segment = 0; segment < static_cast<std::size_t>(slot.tree.segments); ++segment)
    pass_on(slot, segment);
}

/// That the panel can be had, to the children. An owner that told everybody would send its panel
/// after as many messages as there are processes.
void PanelBroadcast::tell(Slot& slot) {
  slot.has_told = true;
  for (const int child : slot.tree.children) {
    slot.leaving.emplace_back();
    MPI_Isend(nullptr, 0, MPI_DOUBLE, child, ready_tag + slot.tag, row_, &slot.leaving.back());
  }
}

/// To the children that see the slot that it is full, once it is; to the others all of it in turn,
/// or the segment to the only one.
void PanelBroadcast::pass_on(Slot& slot, std::size_t segment) {
  const std::size_t begin = segment_begin(slot, segment), end = segment_begin(slot, segment + 1);
  const bool is_last = segment + 1 == static_cast<std::size_t>(slot.tree.segments);
  if (is_last && shares_memory()) window_.sync();
  for (const int child : slot.tree.children) {
    if (by_message(slot, child)) {
      if (slot.tree.segments == 1) {
        slot.in_turn.insert(slot.in_turn.begin(), child);
        slot.turn_count = slot.count;
        continue;
      }
      slot.leaving.emplace_back();
      MPI_Isend(slot.values + begin, static_cast<int>(end - begin), MPI_DOUBLE, child,
                data_tag + slot.tag, row_, &slot.leaving.back());
    } else if (is_last) {
      slot.leaving.emplace_back();
      MPI_Isend(nullptr, 0, MPI_DOUBLE, child, data_tag + slot.tag, row_, &slot.leaving.back());
      slot.leaving.emplace_back();
      MPI_Irecv(nullptr, 0, MPI_DOUBLE, child, done_tag + slot.tag, row_, &slot.leaving.back());
    }
  }
  send_in_turn(slot);
}

/// The children share no link so, and the first of them, whom the others wait for, has the panel
/// first. What MPI copies aside has left at once.
void PanelBroadcast::send_in_turn(Slot& slot) {
  while (!slot.in_turn.empty() && has_come(slot.last_sent)) {
    MPI_Isend(slot.values, static_cast<int>(slot.turn_count), MPI_DOUBLE, slot.in_turn.back(),
              data_tag + slot.tag, row_, &slot.last_sent);
    slot.in_turn.pop_back();
  }
}

void PanelBroadcast::receive(Slot& slot) {
  slot.stage = Stage::receiving;
  slot.incoming.clear();
  const int parent = slot.tree.parent;
  if (of_process(slot, parent) != nullptr) {
    slot.incoming.emplace_back();
    MPI_Irecv(nullptr, 0, MPI_DOUBLE, parent, data_tag + slot.tag, row_, &slot.incoming.back());
    return;
  }
  for (std::size_t segment = 0; segment < static_cast<std::size_t>(slot.tree.segments); ++segment) {
    const std::size_t begin = segment_begin(slot, segment), end = segment_begin(slot, segment + 1);
    slot.incoming.emplace_back();
    MPI_Irecv(slot.values + begin, static_cast<int>(end - begin), MPI_DOUBLE, parent,
              data_tag + slot.tag, row_, &slot.incoming.back());
  }
}

void PanelBroadcast::advance(Slot& slot) {
  send_in_turn(slot);
  if (slot.stage == Stage::making_room && has_left(slot)) receive(slot);
  if (slot.stage != Stage::receiving) return;
  if (!slot.has_told && has_come(slot.ready)) tell(slot);
  const auto segments = static_cast<std::size_t>(slot.tree.segments);
  const int parent = slot.tree.parent;
  if (const double* const from = of_process(slot, parent)) {
    if (!has_come(slot.incoming.front())) return;
    if (!slot.has_told) tell(slot);
    window_.sync();
    std::memcpy(slot.values, from, slot.count * sizeof(double));
    slot.leaving.emplace_back();
    MPI_Isend(nullptr, 0, MPI_DOUBLE, parent, done_tag + slot.tag, row_, &slot.leaving.back());
    for (std::size_t segment = 0; segment < segments; ++segment) pass_on(slot, segment);
    slot.arrived = segments;
  } else {
    for (; slot.arrived < segments && has_come(slot.incoming[slot.arrived]); ++slot.arrived) {
      if (!slot.has_told) tell(slot);
      pass_on(slot, slot.arrived);
    }
  }
  if (slot.arrived == segments) slot.stage = Stage::there;
}

void PanelBroadcast::progress(PhaseClock& clock) {
  clock.time(phase, [&] {
    for (Slot& slot : slots_) {
      advance(slot);
      if (slot.stage == Stage::there) (void)has_left(slot);
    }
  });
}

bool PanelBroadcast::wants_progress() const {
  for (const Slot& slot : slots_) {
    const auto& children = slot.tree.children;
    if (slot.stage == Stage::making_room || slot.stage == Stage::receiving) {
      if (!children.empty() || by_message(slot, slot.tree.parent)) return true;
    } else if (!slot.in_turn.empty() || slot.last_sent != MPI_REQUEST_NULL) {
      return true;
    } else if (!slot.leaving.empty() &&
               std::any_of(children.begin(), children.end(),
                           [&](int child) { return by_message(slot, child); })) {
      return true;
    }
  }
  return false;
}

void PanelBroadcast::finish(long panel, PhaseClock& clock) {
  Slot& slot = slots_[panel % slot_count];
  if (slot.stage == Stage::there) {
    if (slot.ready != MPI_REQUEST_NULL) MPI_Wait(&slot.ready, MPI_STATUS_IGNORE);
    return;
  }
  const auto advance_all = [&] {
    for (Slot& one : slots_) advance(one);
  };
  clock.time("wait", [&] {
    while (!has_come(slot.ready)) advance_all();
  });
  clock.time(phase, [&] {
    while (slot.stage != Stage::there) advance_all();
  });
}

void PanelBroadcast::pass_on_to_all(long panel, PhaseClock& clock) {
  const Slot& slot = slots_[panel % slot_count];
  if (slot.in_turn.empty()) return;
  clock.time(phase, [&] {
    while (!slot.in_turn.empty())
      for (Slot& one : slots_) advance(one);
  });
}

/// All in turn: whom one slot waits for may wait for the other.
void PanelBroadcast::finish_all(PhaseClock& clock) {
  if (processes_ == 1) return;
  clock.time(phase, [&] {
    for (bool all = false; !all;) {
      all = true;
      for (Slot& slot : slots_) all = has_left(slot) && all;
    }
  });
}

}  // namespace bellwether
