// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace bellwether {

/// A file that the ranks write together, each its own bytes, and that takes the place of another
/// when it is complete. By POSIX and not MPI-IO, which takes a full disk for success (Open MPI 4).
/// Nothing is written after a rank's first failure, which finish() tells all.
class SharedOutput {
 public:
  /// Collective. Makes an empty file in the folder of `path`.
  SharedOutput(MPI_Comm comm, std::string path);
  /// Removes what has not taken its place.
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  void write(std::int64_t at, const void* bytes, std::size_t count);
  /// Brings this rank's bytes to the disk.
  void flush();
  /// What else has failed on this rank.
  void fail(const std::string& reason);
  /// Its name until it has taken its place; empty on a rank that has failed.
  [[nodiscard]] std::string name() const { return failure_.empty() ? name_ : ""; }
  /// Collective. Brings everything to the disk, and the file to its place. Throws BadInput with the
  /// lowest rank's failure on all ranks, and then leaves nothing behind.
  void finish();

 private:
  void note(bool done);

  MPI_Comm comm_;
  int rank_ = 0, descriptor_ = -1;
  std::string path_, name_, failure_;
};

}  // namespace bellwether
