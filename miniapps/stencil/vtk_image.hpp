// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/launch/grid.hpp"
#include "miniapps/driver/vtk_file.hpp"

namespace bellwether {

/// A file of VTK image data (.vti) with 32-bit values for each cell of a grid of unit cells.
class VtkImage {
 public:
  struct Array {
    std::string name;
    int components = 1;
  };
  /// Collective over `comm`. As VtkFile.
  VtkImage(MPI_Comm comm, std::string path, std::array<int, 3> cells,
           const std::vector<Array>& arrays);
  /// Collective; every rank calls it as often. The values of an array in a box of global cells, x
  /// fastest, the components of a cell together. An empty box adds nothing.
  void write(std::size_t array, const Box& box, const float* values);
  void finish() { file_.finish(); }

 private:
  std::array<int, 3> cells_;
  std::vector<Array> arrays_;
  VtkFile file_;
};

}  // namespace bellwether
