// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/launch/grid.hpp"

namespace bellwether {

/// A file of VTK image data (XML, .vti: appended raw blocks, 64-bit headers) with 32-bit values for
/// each cell of a grid of unit cells, written by all ranks together: each writes what it holds, and
/// nothing is gathered. Errors are BadInput on all ranks, naming the file.
class VtkImage {
 public:
  struct Array {
    std::string name;
    int components = 1;
  };
  /// Collective over `comm`. Throws BadInput if such a file could not be written; leaves none.
  static void check_writable(MPI_Comm comm, const std::string& path);

  /// Collective over `comm`. Begins `path`.part with the header and without values.
  VtkImage(MPI_Comm comm, std::string path, std::array<int, 3> cells, std::vector<Array> arrays);
  /// Collective; every rank calls it as often. The values of an array in a box of global cells, x
  /// fastest, the components of a cell together. An empty box adds nothing.
  void write(std::size_t array, const Box& box, const float* values);
  /// Collective: puts the file in its place. An image that is not finished leaves `path` as it was.
  void finish();
  ~VtkImage();
  VtkImage(const VtkImage&) = delete;
  VtkImage& operator=(const VtkImage&) = delete;

 private:
  static std::string partial(const std::string& path) { return path + ".part"; }
  [[nodiscard]] std::string header() const;
  [[nodiscard]] unsigned long long block_bytes(std::size_t array) const;
  void check(int status, const char* doing) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::string path_;
  std::array<int, 3> cells_;
  std::vector<Array> arrays_;
  std::vector<MPI_Offset> values_at_;  ///< of each array's block
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace bellwether
