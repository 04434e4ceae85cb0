// SPDX-License-Identifier: MIT
#include "miniapps/comm/shared_window.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

namespace bellwether {
namespace {

/// A process' memory begins with how far it has come, on a cache line of its own.
constexpr std::size_t line = 8;

/// Where its values begin. MPI may give memory that begins anywhere (Open MPI 4.1's is 8 bytes into
/// a line); pages are the same in all processes, and so is a place in a line.
double* first_value(void* memory) {
  constexpr std::uintptr_t bytes = line * sizeof(double);
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + bytes - 1) / bytes * bytes;
  return reinterpret_cast<double*>(begin) + line;
}

std::atomic_ref<std::uint64_t> progress_at(double* values) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(values - line));
}

}  // namespace

SharedWindow::SharedWindow(MPI_Comm comm, std::size_t values) {
  int processes = 1;
  MPI_Comm_rank(comm, &process_);
  MPI_Comm_size(comm, &processes);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, process_, MPI_INFO_NULL, &node);
  int on_node = 1;
  MPI_Comm_size(node, &on_node);
  if (on_node > 1) {
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // to each process pages of its own
    void* memory = nullptr;
    const auto bytes = static_cast<MPI_Aint>((2 * line + values) * sizeof(double));
    int is_there = MPI_Win_allocate_shared(bytes, sizeof(double), info, node, &memory, &window_) ==
                   MPI_SUCCESS;
    MPI_Info_free(&info);
    MPI_Allreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MIN, node);
    if (is_there == 0) {
      window_ = MPI_WIN_NULL;
    } else {
      MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
      of_process_.assign(static_cast<std::size_t>(processes), nullptr);
      // Of each process of the node its place in the communicator.
      std::vector<int> places(static_cast<std::size_t>(on_node));
      MPI_Allgather(&process_, 1, MPI_INT, places.data(), 1, MPI_INT, node);
      for (int other = 0; other < on_node; ++other) {
        MPI_Aint size = 0;
        int unit = 0;
        void* base = nullptr;
        MPI_Win_shared_query(window_, other, &size, &unit, &base);
        of_process_[static_cast<std::size_t>(places[static_cast<std::size_t>(other)])] =
            first_value(base);
      }
      std::fill_n(of(process_), values, 0.);  // so that its pages are there
      progress_at(of(process_)).store(0);
      MPI_Barrier(node);
    }
  }
  MPI_Comm_free(&node);
}

SharedWindow::~SharedWindow() {
  if (window_ == MPI_WIN_NULL || std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void SharedWindow::swap(SharedWindow& other) {
  std::swap(window_, other.window_);
  std::swap(process_, other.process_);
  std::swap(of_process_, other.of_process_);
  std::swap(barriers_, other.barriers_);
}

bool SharedWindow::has_all() const {
  return *this && std::find(of_process_.begin(), of_process_.end(), nullptr) == of_process_.end();
}

void SharedWindow::come_to(std::uint64_t number) {
  progress_at(of(process_)).store(number, std::memory_order_release);
}

void SharedWindow::wait_for_all(std::uint64_t number) const {
  constexpr int patience = 1000;  // looks, before others that share the core are let on
  for (double* const values : of_process_) {
    if (values == nullptr) continue;
    const auto progress = progress_at(values);
    for (int looks = 0; progress.load(std::memory_order_acquire) < number; ++looks)
      if (looks > patience) std::this_thread::yield();
  }
}

}  // namespace bellwether
