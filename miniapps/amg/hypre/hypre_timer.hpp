// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Times between marks in hypre's work: on a GPU marks are events, whose times are known once
/// wait() has returned, so that nothing is waited for at a mark.
class HypreTimer {
 public:
  /// Where hypre is (HypreLibrary).
  HypreTimer();
  /// On a GPU, of what is launched on the stream.
  HypreTimer(Device& gpu, std::unique_ptr<Stream> stream)
      : gpu_(&gpu), stream_(std::move(stream)) {}

  using Mark = std::size_t;  ///< numbered from 0
  Mark mark();
  /// Blocks until all that was launched before the last mark is done; at once on the host.
  void wait();
  /// Seconds from one mark to a later one; of those before the last wait().
  [[nodiscard]] double seconds(Mark from, Mark to) const;
  /// Forgets all marks.
  void restart() { marks_ = 0; }

 private:
  Device* gpu_ = nullptr;  ///< null: the host
  std::unique_ptr<Stream> stream_;
  std::size_t marks_ = 0;
  std::vector<std::unique_ptr<Event>> events_;  ///< on a GPU, kept from one restart to the next
  std::vector<std::chrono::steady_clock::time_point> times_;  ///< on the host
};

}  // namespace bellwether
