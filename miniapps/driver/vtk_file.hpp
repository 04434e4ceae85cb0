// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

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

/// A VTK file (XML, appended raw blocks, 64-bit headers) that all ranks write together: each writes
/// what it holds, and nothing is gathered. Errors are BadInput on all ranks, naming the file.
class VtkFile {
 public:
  /// Collective over `comm`. Throws BadInput if such a file could not be written; leaves none.
  static void check_writable(MPI_Comm comm, const std::string& path);

  /// Collective over `comm`. Begins `path`.part with the header and without values.
  VtkFile(MPI_Comm comm, std::string path, const VtkContent& content);
  /// Collective; every rank calls it as often. `count` elements of the n-th array of all sections,
  /// from the `first` on; none add nothing.
  void write(std::size_t array, unsigned long long first, unsigned long long count,
             const void* values);
  /// Collective, likewise: `count` values of type `element` to where the file type `part`, which
  /// begins with the array's first element, has them.
  void write(std::size_t array, MPI_Datatype element, MPI_Datatype part, unsigned long long count,
             const void* values);
  /// Collective: puts the file in its place. One that is not finished leaves `path` as it was.
  void finish();
  ~VtkFile();
  VtkFile(const VtkFile&) = delete;
  VtkFile& operator=(const VtkFile&) = delete;

 private:
  void write_frame(const std::string& head);
  void check(int status, const char* doing) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::string path_;
  std::vector<VtkArray> arrays_;
  std::vector<MPI_Offset> values_at_;  ///< of each array's block
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace bellwether
