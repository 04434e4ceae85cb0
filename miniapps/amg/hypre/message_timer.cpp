// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/message_timer.hpp"

#include <chrono>
#include <stdexcept>

namespace bellwether {
namespace {

MessageTimer* timer = nullptr;  // MPI's profiling interface knows no other way

}  // namespace

MessageTimer::MessageTimer() {
  if (timer != nullptr) throw std::logic_error("MessageTimer: there is one already");
  posted_.reserve(64);
  timer = this;
}

MessageTimer::~MessageTimer() { timer = nullptr; }

void MessageTimer::wait_after(int messages) {
  wait_after_ = messages;
  posted_.clear();
}

void MessageTimer::post(MPI_Request* request) {
  if (wait_after_ == 0) return;
  posted_.push_back(request);
  if (static_cast<int>(posted_.size()) < wait_after_) return;
  for (MPI_Request* const one : posted_) PMPI_Wait(one, MPI_STATUS_IGNORE);
  posted_.clear();
}

/// The time of one call, where calls are timed.
struct TimedCall {
  using Clock = std::chrono::steady_clock;

  template <class Call>
  static int run(Call&& call) {
    if (timer == nullptr) return call();
    const auto begin = Clock::now();
    const int status = call();
    timer->tally_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    return status;
  }
  static void count(int values, MPI_Datatype type) {
    if (timer == nullptr) return;
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    ++timer->tally_.sends;
    timer->tally_.bytes += 1.0 * values * bytes;
  }
  static void post(MPI_Request* request) {
    if (timer != nullptr) timer->post(request);
  }
};

}  // namespace bellwether

using bellwether::TimedCall;

extern "C" {

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  TimedCall::count(count, type);
  return TimedCall::run([&] {
    const int status = PMPI_Isend(from, count, type, to, tag, comm, request);
    TimedCall::post(request);
    return status;
  });
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return TimedCall::run([&] {
    const int status = PMPI_Irecv(to, count, type, from, tag, comm, request);
    TimedCall::post(request);
    return status;
  });
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return TimedCall::run([&] { return PMPI_Waitall(count, requests, statuses); });
}

int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                   const int* offsets, MPI_Datatype to_type, MPI_Comm comm) {
  return TimedCall::run(
      [&] { return PMPI_Allgatherv(from, count, type, to, counts, offsets, to_type, comm); });
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  return TimedCall::run([&] { return PMPI_Allreduce(from, to, count, type, operation, comm); });
}

}  // extern "C"
