// SPDX-License-Identifier: MIT
#include "miniapps/comm/watchdog/signal_latch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>

#include "models/errors.hpp"

namespace bellwether {
namespace {

struct Signal {
  int number;
  const char* name;
};
/// Open MPI's mpirun passes SIGUSR1 and SIGUSR2 on; SIGXCPU is a limit of CPU time.
constexpr Signal signals[]{{SIGTERM, "SIGTERM"},
                           {SIGINT, "SIGINT"},
                           {SIGUSR1, "SIGUSR1"},
                           {SIGUSR2, "SIGUSR2"},
                           {SIGXCPU, "SIGXCPU"}};

/// A signal handler has no other way to find its pipe.
std::atomic<int> write_end{-1};

void put(unsigned char value) {
  const int saved_errno = errno;
  // A full pipe holds a signal already.
  [[maybe_unused]] const ssize_t written = ::write(write_end.load(), &value, 1);
  errno = saved_errno;
}

void on_signal(int number) { put(static_cast<unsigned char>(number)); }

}  // namespace

SignalLatch::SignalLatch() {
  static_assert(std::size(signals) == count);
  if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw BadEnvironment("no pipe for signals: too many open files");
  }
  write_end = pipe_[1];
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < count; ++i) ::sigaction(signals[i].number, &action, &old_[i]);
}

SignalLatch::~SignalLatch() {
  for (std::size_t i = 0; i < count; ++i) ::sigaction(signals[i].number, &old_[i], nullptr);
  write_end = -1;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

int SignalLatch::wait(std::chrono::milliseconds time) {
  pollfd readable{pipe_[0], POLLIN, 0};
  unsigned char value = 0;
  if (::poll(&readable, 1, static_cast<int>(time.count())) == 1 &&
      ::read(pipe_[0], &value, 1) == 1) {
    return value;
  }
  return 0;
}

void SignalLatch::wake() { put(0); }

const char* SignalLatch::name_of(int number) {
  const auto* const found = std::find_if(std::begin(signals), std::end(signals),
                                         [&](const Signal& one) { return one.number == number; });
  return found == std::end(signals) ? "a signal" : found->name;
}

}  // namespace bellwether
