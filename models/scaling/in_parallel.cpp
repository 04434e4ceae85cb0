// SPDX-License-Identifier: MIT
#include "models/scaling/in_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bellwether {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::size_t failed_at = count;
  std::exception_ptr failure;
  const auto run = [&] {
    while (!failed) {
      const std::size_t index = next++;
      if (index >= count) return;
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed = true;
        if (index < failed_at) {
          failed_at = index;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t thread = 1; thread < std::min(cores, count); ++thread)
      threads.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bellwether
