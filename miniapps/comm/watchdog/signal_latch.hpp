// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <array>
#include <chrono>

namespace bellwether {

/// Takes the signals that end a run for one waiting thread, whichever thread they are delivered to.
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

  /// "SIGTERM"
  static const char* name_of(int number);

 private:
  static constexpr std::size_t count = 5;
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, count> old_{};
};

}  // namespace bellwether
