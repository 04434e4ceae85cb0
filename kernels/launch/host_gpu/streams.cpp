// SPDX-License-Identifier: MIT
#include "kernels/launch/host_gpu/streams.hpp"

#include <algorithm>

namespace bellwether::host_gpu {
namespace {

bool may_go_on(const Stream& stream) {
  if (stream.work.empty()) return false;
  const Work& next = stream.work.front();
  return next.run != nullptr || next.event->reached >= next.count;
}

}  // namespace

std::vector<Stream*>& streams() {
  static auto* const all = new std::vector<Stream*>;  // they may be destroyed after static objects
  return *all;
}

void end_stream(Stream* stream) {
  std::vector<Stream*>& all = streams();
  all.erase(std::find(all.begin(), all.end(), stream));
  delete stream;
}

bool go_on() {
  Stream* chosen = nullptr;
  for (Stream* const stream : streams()) {
    if (!may_go_on(*stream)) continue;
    if (chosen == nullptr || stream->priority > chosen->priority) chosen = stream;
  }
  if (chosen == nullptr) return false;
  const Work next = std::move(chosen->work.front());
  chosen->work.pop_front();
  if (next.run != nullptr) {
    open_device(chosen->device);
    next.run();
  }
  if (chosen->destroyed && chosen->work.empty()) end_stream(chosen);
  if (!streams().empty() && random_below(16) == 0)
    streams()[random_below(streams().size())]->priority = random_engine()();
  return true;
}

bool all_idle() {
  return std::all_of(streams().begin(), streams().end(),
                     [](const Stream* stream) { return stream->work.empty(); });
}

void enqueue(std::function<void()> work, Stream* stream) {
  if (stream->recorded != nullptr)
    stream->recorded->work.push_back(std::move(work));
  else
    stream->work.push_back({std::move(work), nullptr, 0});
}

}  // namespace bellwether::host_gpu
