// SPDX-License-Identifier: MIT
#include "kernels/hpl/spinning_team.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// A shift is its number times this and how many threads it has; none: there is no team any more.
constexpr unsigned most_threads = 1u << 12;

template <class Condition>
void spin_until(const Condition& condition) {
  constexpr int patience = 1000;  // looks, before others that share the core are let on
  for (int looks = 0; !condition(); ++looks)
    if (looks > patience) std::this_thread::yield();
}

}  // namespace

SpinningTeam::SpinningTeam(int threads) {
  const unsigned count = std::min(static_cast<unsigned>(std::max(threads, 1)), most_threads - 1);
  try {
    for (unsigned thread = 1; thread < count; ++thread)
      others_.emplace_back([this, thread] { live(thread); });
  } catch (...) {
    begin_shift(0);
    throw;
  }
}

SpinningTeam::~SpinningTeam() { begin_shift(0); }

SpinningTeam::Shift::Shift(SpinningTeam& team, int threads) : team_(team) {
  team_.on_shift_ = std::clamp(threads, 1, team_.threads());
  if (team_.on_shift_ > 1) team_.begin_shift(static_cast<unsigned>(team_.on_shift_));
}

SpinningTeam::Shift::~Shift() {
  if (team_.on_shift_ > 1) {
    team_.start(nullptr, nullptr);
    team_.wait_for_others();
  }
  team_.on_shift_ = 1;
}

void SpinningTeam::begin_shift(unsigned threads) {
  tasks_before_ = task_.number.load(std::memory_order_relaxed);
  const unsigned number = shift_.load(std::memory_order_relaxed) / most_threads + 1;
  shift_.store(number * most_threads + threads, std::memory_order_release);
  shift_.notify_all();
}

void SpinningTeam::start(Call* call, const void* work) {
  task_.call = call;
  task_.work = work;
  task_.number.store(task_.number.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void SpinningTeam::wait_for_others() {
  spin_until([this] { return ended_.load(std::memory_order_acquire) == on_shift_ - 1; });
  ended_.store(0, std::memory_order_relaxed);
}

void SpinningTeam::live(unsigned thread) {
  for (unsigned shift = 0;;) {
    shift_.wait(shift, std::memory_order_acquire);
    shift = shift_.load(std::memory_order_acquire);
    const unsigned threads = shift % most_threads;
    if (threads == 0) return;
    if (thread < threads) serve(static_cast<int>(thread));
  }
}

/// Every task of a shift.
void SpinningTeam::serve(int thread) {
  for (unsigned last = tasks_before_;; ++last) {
    spin_until([&] { return task_.number.load(std::memory_order_acquire) != last; });
    Call* const call = task_.call;
    if (call != nullptr) call(task_.work, thread);
    ended_.fetch_add(1, std::memory_order_release);
    if (call == nullptr) return;
  }
}

}  // namespace bellwether
