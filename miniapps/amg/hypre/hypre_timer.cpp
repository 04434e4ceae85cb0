// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_timer.hpp"

#include "miniapps/amg/hypre/hypre_library.hpp"

namespace bellwether {

HypreTimer::HypreTimer() : gpu_(hypre_gpu()) {
  if (gpu_ != nullptr) stream_ = gpu_->adopt_stream(hypre_queue());
}

HypreTimer::Mark HypreTimer::mark() {
  if (gpu_ == nullptr) {
    times_.resize(marks_);
    times_.push_back(std::chrono::steady_clock::now());
    return marks_++;
  }
  if (events_.size() == marks_) events_.push_back(gpu_->make_event(true));
  gpu_->record(*events_[marks_], *stream_);
  return marks_++;
}

void HypreTimer::wait() {
  if (gpu_ != nullptr) gpu_->fence(*stream_);
}

double HypreTimer::seconds(Mark from, Mark to) const {
  if (gpu_ != nullptr) return gpu_->elapsed(*events_[from], *events_[to]);
  return std::chrono::duration<double>(times_[to] - times_[from]).count();
}

}  // namespace bellwether
