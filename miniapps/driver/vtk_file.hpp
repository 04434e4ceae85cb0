// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "miniapps/comm/shared_output.hpp"
#include "models/replace_file.hpp"

namespace bellwether {

/// Values in a VTK file: "Float32", "Float64", "Int32", "Int64" or "UInt8", so many elements of
/// `components` values each.
struct VtkArray {
  std::string name;
  int components = 1;
  unsigned long long elements = 0;
  std::string type = "Float32";

  [[nodiscard]] unsigned long long value_bytes() const;
  [[nodiscard]] unsigned long long bytes() const { return value_bytes() * components * elements; }
};

/// What a VTK file tells before its values: the kind of data set, its attributes and its one
/// piece's, each with a space before it; and arrays in sections (CellData, Points, …).
struct VtkContent {
  struct Section {
    std::string name;
    std::vector<VtkArray> arrays;
  };
  std::string data_set;  ///< "ImageData"
  std::string attributes, piece;
  std::vector<Section> sections;
};

/// Where a picture is to be, and what stands there before the run.
struct VtkTarget {
  std::string path;
  FileState before;
};

/// A VTK file (XML, appended raw blocks, 64-bit headers) that all ranks write together: each writes
/// what it holds, and nothing is gathered. Errors are BadInput on all ranks, naming the file.
class VtkFile {
 public:
  /// Collective over `comm`. Throws BadInput if such a file could not be written; leaves none.
  static VtkTarget checked_target(MPI_Comm comm, const std::string& path);

  /// Collective over `comm`. Begins a file with the header and without values.
  VtkFile(MPI_Comm comm, const VtkTarget& target, const VtkContent& content);
  /// `count` elements of the n-th array of all sections, from the `first` on.
  void write(std::size_t array, unsigned long long first, unsigned long long count,
             const void* values);
  /// Collective: puts the file in its place. One that is not finished leaves that as it was.
  void finish();

 private:
  MPI_Comm comm_;
  VtkTarget target_;
  std::vector<VtkArray> arrays_;
  std::vector<std::int64_t> values_at_;  ///< of each array's block
  SharedOutput file_;
};

}  // namespace bellwether
