// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <array>
#include <chrono>

namespace bellwether {

/// Takes SIGTERM and SIGINT for one waiting thread, whichever thread they are delivered to: MPI's
/// and the device driver's own threads exist before any mask of ours could keep signals from them.
/// One at a time in a program.
class SignalLatch {
 public:
  /// Throws BadEnvironment if there is no pipe to be had.
  SignalLatch();
  /// Gives the signals back to who had them before.
  ~SignalLatch();
  SignalLatch(const SignalLatch&) = delete;
  SignalLatch& operator=(const SignalLatch&) = delete;

  /// The signal's number, or 0 after the time or after wake().
  int wait(std::chrono::milliseconds time);
  void wake();

 private:
  std::array<int, 2> pipe_{-1, -1};
  struct sigaction old_terminate_ {};
  struct sigaction old_interrupt_ {};
};

}  // namespace bellwether
