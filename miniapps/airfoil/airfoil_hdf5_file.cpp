// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "miniapps/airfoil/airfoil_files.hpp"
#include "models/errors.hpp"

#if BELLWETHER_WITH_HDF5
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "miniapps/airfoil/hdf5_file.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "miniapps/mesh/shared_text.hpp"
#endif

namespace bellwether {

#if BELLWETHER_WITH_HDF5

bool has_hdf5() { return true; }

namespace {

using hdf5::File;

/// Throws BadInput unless every rank can open it as HDF5 by itself: what HDF5 is then asked for
/// together goes wrong on all ranks or on none.
void check_is_hdf5(MPI_Comm comm, const std::string& path) {
  agree_on_errors(comm, [&] {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
      throw BadInput(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
      throw BadInput(fmt::format("{}: cannot be read: it is no regular file", path));
    if (access(path.c_str(), R_OK) != 0)
      throw BadInput(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    if (!hdf5::is_hdf5(path))
      throw BadInput(fmt::format(
          "{}: found no HDF5 file, expected one from its name (ASCII meshes end otherwise)", path));
  });
}

/// The number of elements, a dataset of one integer.
std::int64_t read_count(const File& file, const std::string& set) {
  constexpr std::int64_t most = 2147483647;  // OP2 counts so
  const std::int64_t count = file.read_rows<std::int64_t>(set, {1, 1}, 0, 1).front();
  if (count < 0 || count > most)
    throw BadInput(
        fmt::format("{}, dataset {}: found {}, expected 0 to {}", file.path(), set, count, most));
  return count;
}

}  // namespace

AirfoilBlocks read_airfoil_hdf5(MPI_Comm comm, const std::string& path) {
  check_is_hdf5(comm, path);
  AirfoilBlocks of = airfoil_frame(0, 0, 0, 0);
  of.origin = {path, MeshOrigin::hdf5};
  const File file = File::open(comm, path);
  for (MeshSet& set : of.mesh.sets) set.total = read_count(file, set.name);
  const auto read = [&](const std::string& name, int set, int dim, auto value) {
    const Blocks blocks = of.mesh.blocks(set, ranks_in(comm));
    return file.read_rows<decltype(value)>(name, {blocks.total(), dim}, blocks.first(rank_in(comm)),
                                           blocks.size(rank_in(comm)));
  };
  for (BlockMap& map : of.mesh.maps)
    map.targets = read(map.name, map.from, map.arity, std::int64_t{});
  // OP2's documentation has p_x; meshes that follow its ASCII format's x are read too.
  const bool plain = !file.has(of.coordinates.name) && file.has("x");
  of.coordinates.values = read(plain ? "x" : of.coordinates.name, airfoil_nodes, 2, double{});
  of.bounds.values = read(of.bounds.name, airfoil_bedges, 1, std::int32_t{});
  return of;
}

void write_airfoil_hdf5(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path) {
  const std::string beside = name_beside(comm, path);
  std::string failure;
  agree_on_errors(comm, [&] {
    if (rank_in(comm) != 0) return;
    const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
      throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    close(file);
  });
  try {
    const File file = File::create(comm, beside);
    for (const MeshSet& set : blocks.mesh.sets) file.write_count(set.name, set.total);
    const auto write = [&](const std::string& name, int set, int dim, const auto& values,
                           const hdf5::Op2Attributes& attributes) {
      const Blocks of = blocks.mesh.blocks(set, ranks_in(comm));
      file.write_rows(name, {of.total(), dim}, of.first(rank_in(comm)), values, attributes);
    };
    for (const BlockMap& map : blocks.mesh.maps)
      write(map.name, map.from, map.arity,
            std::vector<std::int32_t>(map.targets.begin(), map.targets.end()),
            {static_cast<int>(blocks.mesh.sets[map.from].total), "int"});
    write("p_x", airfoil_nodes, 2, blocks.coordinates.values, {2 * sizeof(double), "double"});
    write("p_bound", airfoil_bedges, 1, blocks.bounds.values, {sizeof(std::int32_t), "int"});
  } catch (const BadInput& error) {
    failure = error.what();
  }
  replace_together(comm, beside, path, failure);
}

#else

bool has_hdf5() { return false; }

namespace {

[[noreturn]] void no_hdf5(const std::string& path) {
  throw BadEnvironment(fmt::format(
      "{}: this build has no parallel HDF5 (Debian: libhdf5-openmpi-dev); ASCII meshes have names "
      "that end otherwise",
      path));
}

}  // namespace

AirfoilBlocks read_airfoil_hdf5(MPI_Comm, const std::string& path) { no_hdf5(path); }
void write_airfoil_hdf5(MPI_Comm, const AirfoilBlocks&, const std::string& path) { no_hdf5(path); }

#endif

}  // namespace bellwether
