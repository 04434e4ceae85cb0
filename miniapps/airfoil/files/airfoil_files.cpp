// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/files/airfoil_files.hpp"

#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"

namespace bellwether {
namespace {

bool named_hdf5(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace

AirfoilBlocks read_airfoil(MPI_Comm comm, const std::string& path,
                           const MemoryCheck& check_memory) {
  AirfoilBlocks blocks = named_hdf5(path) ? read_airfoil_hdf5(comm, path, check_memory)
                                          : read_airfoil_text(comm, path, check_memory);
  check_airfoil(comm, blocks);
  return blocks;
}

void write_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path) {
  if (named_hdf5(path))
    write_airfoil_hdf5(comm, blocks, path);
  else
    write_airfoil_text(comm, blocks, path);
}

}  // namespace bellwether
