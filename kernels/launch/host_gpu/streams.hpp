// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/launch/host_gpu/host_gpu.hpp"

// Streams are queues that a single thread works off: whichever may go on, in random order, when the
// host waits for something, and at some of its other calls.

namespace bellwether::host_gpu {

using Clock = std::chrono::steady_clock;

/// How often an event was asked for, and how far its streams have come.
struct Passing {
  std::uint64_t asked = 0, reached = 0;
  Clock::time_point at{};
};
struct Event {
  bool timed = true;
  std::shared_ptr<Passing> passing = std::make_shared<Passing>();
};
struct Work {
  std::function<void()> run;             ///< null: the stream waits ...
  std::shared_ptr<const Passing> event;  ///< ... for this
  std::uint64_t count = 0;               ///< to be reached so often
};
/// What was put on a stream while it was recorded: CUDA graphs that are a line of kernels and
/// copies.
struct Graph {
  std::vector<std::function<void()>> work;
  int device = 0;
};
struct GraphExec {
  Graph graph;
};
struct Stream {
  int device = 0;
  std::deque<Work> work;
  std::uint64_t priority = 0;       ///< the stream with most of it goes on; drawn anew now and then
  bool destroyed = false;           ///< it ends when its work is done
  std::unique_ptr<Graph> recorded;  ///< null: what comes is to be done
};

/// Those that there are.
std::vector<Stream*>& streams();
void end_stream(Stream* stream);

/// Lets one stream go one piece of work further; false when none can. A stream with a high priority
/// overtakes the others as far as events let it, which finds a missing wait sooner than an even
/// chance for all (Burckhardt et al., ASPLOS 2010).
bool go_on();

/// Until it is so; streams that wait for each other end the process.
template <class Condition>
void go_on_until(const Condition& done) {
  while (!done())
    if (!go_on()) stop("streams wait for each other's events for ever");
  close_devices();
}

bool all_idle();

}  // namespace bellwether::host_gpu
