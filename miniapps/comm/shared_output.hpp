// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace bellwether {

/// A file that the ranks write together, by POSIX since MPI-IO may take a full disk for success,
/// and that replaces another when complete. After a rank's failure nothing is written.
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
