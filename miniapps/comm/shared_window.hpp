// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace bellwether {

/// How processes of a node exchange what lies in the host's memory, where both are possible.
enum class NodePath { shared_memory, messages };

/// Memory of processes of a node that all of them see (a shared window of MPI's): each reads and
/// writes the others' as its own, whatever MPI can do there with messages.
class SharedWindow {
 public:
  /// None.
  SharedWindow() = default;
  /// Collective over `comm`. Each process gives so many doubles, aligned to a cache line, to those
  /// of its node; none where it is alone there, or where there is no room for it.
  SharedWindow(MPI_Comm comm, std::size_t values);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~SharedWindow();
  SharedWindow(SharedWindow&& other) noexcept { swap(other); }
  SharedWindow& operator=(SharedWindow&& other) noexcept {
    swap(other);
    return *this;
  }
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  [[nodiscard]] explicit operator bool() const { return window_ != MPI_WIN_NULL; }
  /// That of a process of the communicator; null: on another node, or no window.
  [[nodiscard]] double* of(int process) const {
    return *this ? of_process_[static_cast<std::size_t>(process)] : nullptr;
  }
  /// Whether all processes of the communicator see each other's.
  [[nodiscard]] bool has_all() const;
  /// Writes before it are seen by who reads after its own.
  void sync() const { MPI_Win_sync(window_); }

  /// Tells the others that this process has come to `number`, with all that it wrote before.
  /// Numbers only grow, from 1.
  void come_to(std::uint64_t number);
  /// Until all others have come to `number` or further.
  void wait_for_all(std::uint64_t number) const;
  /// Until all have come here, as often as they have called it.
  void barrier() {
    come_to(++barriers_);
    wait_for_all(barriers_);
  }

 private:
  void swap(SharedWindow& other);

  MPI_Win window_ = MPI_WIN_NULL;
  int process_ = 0;
  std::vector<double*> of_process_;
  std::uint64_t barriers_ = 0;
};

}  // namespace bellwether
