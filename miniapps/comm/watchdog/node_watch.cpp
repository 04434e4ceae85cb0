// SPDX-License-Identifier: MIT
#include "miniapps/comm/watchdog/node_watch.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// A rank that has not ticked for so long no longer watches: the next one does.
constexpr double watcher_silence_s = 1;
/// On a signal, how long a rank leaves the line to ranks below it. mpirun kills after a second.
constexpr std::chrono::milliseconds deference{400};
constexpr int out_of_time = static_cast<int>(ExitStatus::out_of_time);

/// Ends every rank of the job. MPI_Abort is called from a thread that is not MPI's own, as the rank
/// that should call it may hang; where that does not end the process, a second thread does.
[[noreturn]] void end_job(int ranks) {
  if (ranks > 1) {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      ::_exit(out_of_time);
    }).detach();
    MPI_Abort(MPI_COMM_WORLD, out_of_time);
  }
  ::_exit(out_of_time);
}

}  // namespace

NodeWatch::NodeWatch(Watchdog& watchdog, const Session& session)
    : watchdog_(watchdog),
      session_(session),
      heartbeat_(watchdog.heartbeat()),
      memory_(static_cast<std::size_t>(session.ranks_on_node())) {
  allocate_table();
  MPI_Barrier(session_.node());  // all slots are filled
  for (int i = 0; i < session_.ranks_on_node(); ++i) {
    memory_[i].visible = ::kill(slot(i).pid, 0) == 0 || errno == EPERM;
  }
  MPI_Barrier(session_.node());  // all have looked at living processes
  watchdog_.look_through(this);
}

NodeWatch::~NodeWatch() {
  const bool alone = std::uncaught_exceptions() > 0;
  if (!alone) {
    heartbeat_.enter("finish");
    MPI_Barrier(session_.world());  // watched to the last
  }
  slot(session_.local_rank()).state = alone ? RankState::failed : RankState::left;
  watchdog_.look_through(nullptr);
  if (!alone) {
    MPI_Win_free(&window_);
  }
}

/// All slots stand in the lowest local rank's part of the window.
void NodeWatch::allocate_table() {
  const int ranks = session_.ranks_on_node();
  const bool owner = session_.local_rank() == 0;
  const auto bytes =
      sizeof(WatchdogHeader) + static_cast<std::size_t>(ranks + 1) * sizeof(WatchdogSlot);
  void* start = nullptr;
  MPI_Win_allocate_shared(owner ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL,
                          session_.node(), &start, &window_);
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_shared_query(window_, 0, &size, &unit, &start);
  // Every process maps it at a page's offset, so that all round up to the same cache line.
  std::size_t space = bytes;
  std::align(alignof(WatchdogSlot), sizeof(WatchdogHeader) + ranks * sizeof(WatchdogSlot), start,
             space);
  auto* memory = static_cast<std::byte*>(start);
  header_ = owner ? new (memory) WatchdogHeader : reinterpret_cast<WatchdogHeader*>(memory);
  slots_ = reinterpret_cast<WatchdogSlot*>(memory + sizeof(WatchdogHeader));
  auto* mine = new (&slot(session_.local_rank())) WatchdogSlot;
  mine->pid = static_cast<int>(::getpid());
  mine->rank = session_.rank();
  mine->phase.store(heartbeat_.phase);
}

void NodeWatch::look(double now_s, int signal) {
  now_s_ = now_s;
  show();
  if (signal != 0) {
    end_on_signal(signal);
  }
  look_at_others();
  if (is_watcher()) {
    end_on_fault();
  }
}

void NodeWatch::show() {
  WatchdogSlot& mine = slot(session_.local_rank());
  mine.phase.store(heartbeat_.phase);
  mine.step = heartbeat_.step.load();
  mine.beats = heartbeat_.beats.load();
  mine.ticks.fetch_add(1);
}

void NodeWatch::look_at_others() {
  for (int i = 0; i < session_.ranks_on_node(); ++i) {
    Memory& memory = memory_[i];
    const WatchdogSlot& other = slot(i);
    if (const long ticks = other.ticks; ticks != memory.ticks) {
      memory.ticks = ticks;
      memory.ticked_at = now_s_;
    }
    if (const long beats = other.beats, step = other.step;
        beats != memory.beats || step != memory.step) {
      memory.beats = beats;
      memory.step = step;
      memory.moved_at = now_s_;
    }
  }
}

bool NodeWatch::is_watcher() const {
  for (int i = 0; i < session_.local_rank(); ++i) {
    if (slot(i).state == RankState::running && now_s_ - memory_[i].ticked_at < watcher_silence_s) {
      return false;
    }
  }
  return true;
}

bool NodeWatch::is_gone(int local_rank) const {
  return memory_[local_rank].visible && slot(local_rank).state == RankState::running &&
         ::kill(slot(local_rank).pid, 0) != 0 && errno == ESRCH;
}

RankSight NodeWatch::sight_of(int local_rank) const {
  const WatchdogSlot& other = slot(local_rank);
  const Memory& memory = memory_[local_rank];
  return {other.rank,         other.phase.load(),       other.step,
          other.beats,        now_s_ - memory.moved_at, now_s_ - memory.ticked_at,
          is_gone(local_rank)};
}

void NodeWatch::end_on_fault() {
  std::vector<RankSight> ranks;
  for (int i = 0; i < session_.ranks_on_node(); ++i) {
    if (slot(i).state == RankState::failed) {
      return;  // it says so itself, and ends the job
    }
    if (slot(i).state == RankState::running) {
      ranks.push_back(sight_of(i));
    }
  }
  const auto verdict = judge(ranks, watchdog_.limit_s());
  if (!verdict || !claim()) {
    return;
  }
  print(describe(*verdict, ranks[verdict->index], session_.host()));
  end_job(session_.size());
}

void NodeWatch::end_on_signal(int number) {
  // mpirun sends SIGTERM to those who survive a death, a failed rank or another node's end.
  const RankSight mine = sight_of(session_.local_rank());
  bool failed = false;
  std::optional<RankSight> dead;
  for (int i = 0; i < session_.ranks_on_node(); ++i) {
    failed |= slot(i).state == RankState::failed;
    if (!dead && is_gone(i)) {
      dead = sight_of(i);
    }
  }
  if (!is_watcher()) {
    const auto deadline = std::chrono::steady_clock::now() + deference;
    while (!header_->printed && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  slot(session_.local_rank()).state = RankState::ended;
  if (!failed && claim()) {
    if (dead) {
      print(describe({Fault::died, 0, 0}, *dead, session_.host()));
    } else {
      print(describe_signal(SignalLatch::name_of(number), mine, session_.host()));
    }
  }
  ::_exit(out_of_time);
}

bool NodeWatch::claim() { return !header_->claimed.exchange(true); }

void NodeWatch::print(const std::string& text) {
  say_end(text);
  header_->printed = true;
}

}  // namespace bellwether
