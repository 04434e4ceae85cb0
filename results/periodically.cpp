// SPDX-License-Identifier: MIT
#include "results/periodically.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <utility>

namespace bellwether {

std::jthread periodically(std::chrono::milliseconds period, std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::jthread thread([period, work = std::move(work)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    do work();
    while (!ended.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }));
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace bellwether
