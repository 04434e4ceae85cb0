// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "miniapps/airfoil/files/airfoil_files.hpp"
#include "models/errors.hpp"

#if BELLWETHER_WITH_HDF5
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <numbers>

#include "kernels/airfoil/airfoil_gas.hpp"
#include "miniapps/airfoil/files/hdf5_file.hpp"
#include "miniapps/airfoil/files/hdf5_layout.hpp"
#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/comm/shared_output.hpp"
#include "miniapps/mesh/parcels.hpp"
#endif

namespace bellwether {

#if BELLWETHER_WITH_HDF5

bool has_hdf5() { return true; }

namespace {

using hdf5::File;

/// Throws BadInput, which says why, unless every rank can open it as HDF5.
void check_is_hdf5(MPI_Comm comm, const std::string& path) {
  agree_on_errors(comm, [&] {
    if (access(path.c_str(), R_OK) != 0)
      throw BadInput(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    if (!hdf5::is_hdf5(path))
      throw BadInput(fmt::format(
          "{}: found no HDF5 file, expected one from its name (ASCII meshes end otherwise)", path));
  });
}

/// The number of elements, a dataset of one integer.
std::int64_t read_count(MPI_Comm comm, const File& file, const std::string& set) {
  constexpr std::int64_t most = 2147483647;  // OP2 counts so
  const std::int64_t count = file.read_rows<std::int64_t>(set, {1, 1}, 0, 1).front();
  agree_on_errors(comm, [&] {
    if (count < 0 || count > most)
      throw BadInput(
          fmt::format("{}, dataset {}: found {}, expected 0 to {}", file.path(), set, count, most));
  });
  return count;
}

/// Writes as far as the datasets will reach, and as much as HDF5 has to write. It must not fail in
/// HDF5, which after a file that it could not close crashes at its end.
void try_room(SharedOutput& file, const std::vector<hdf5::NewDataset>& datasets) {
  constexpr std::int64_t most_of_hdf5 = 64 << 10;
  std::int64_t bytes = most_of_hdf5;
  for (const hdf5::NewDataset& dataset : datasets) bytes += hdf5::bytes_of(dataset);
  const std::vector<char> zeros(most_of_hdf5);
  file.write(0, zeros.data(), zeros.size());
  file.write(bytes - 1, zeros.data(), 1);
  file.flush();
}

/// What OP2's program reads of a file beside the mesh (OP2-Common, apps/c/airfoil/airfoil_hdf5/dp:
/// convert_mesh.cpp, airfoil.cpp). No loop uses mach and alpha, 3 degrees.
std::vector<hdf5::NewConstant> constants() {
  const auto q = airfoil::free_stream();
  return {{"gam", {airfoil::gamma}},     {"gm1", {airfoil::gamma - 1}},
          {"cfl", {airfoil::cfl}},       {"eps", {airfoil::dissipation}},
          {"mach", {airfoil::mach}},     {"alpha", {std::numbers::pi_v<float> / 60}},
          {"qinf", {q.begin(), q.end()}}};
}

/// The free stream in each of so many cells.
std::vector<double> free_streams(std::int64_t cells) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(4 * cells));
  const auto q = airfoil::free_stream();
  for (std::int64_t cell = 0; cell < cells; ++cell) values.insert(values.end(), q.begin(), q.end());
  return values;
}

}  // namespace

AirfoilBlocks read_airfoil_hdf5(MPI_Comm comm, const std::string& path,
                                const MemoryCheck& check_memory) {
  check_is_hdf5(comm, path);
  AirfoilBlocks of = airfoil_frame(0, 0, 0, 0);
  of.origin = {path, MeshOrigin::hdf5};
  const File file = File::open(comm, path);
  for (MeshSet& set : of.mesh.sets) set.total = read_count(comm, file, set.name);
  // OP2's documentation has p_x; meshes that follow its ASCII format's x are read too.
  if (!file.has(of.coordinates.name) && file.has("x")) of.coordinates.name = std::string("x");
  // What a file cannot hold is bad input, whether or not there is memory for it.
  for (const BlockMap& map : of.mesh.maps)
    file.check_rows<std::int64_t>(map.name, {of.mesh.sets[map.from].total, map.arity});
  file.check_rows<double>(of.coordinates.name, {of.mesh.sets[airfoil_nodes].total, 2});
  file.check_rows<std::int64_t>(of.bounds.name, {of.mesh.sets[airfoil_bedges].total, 1});
  check_memory(airfoil_mesh_bytes(of.mesh));

  const auto read = [&](const std::string& name, int set, int dim, auto value) {
    const Blocks blocks = of.mesh.blocks(set, ranks_in(comm));
    return file.read_rows<decltype(value)>(name, {blocks.total(), dim}, blocks.first(rank_in(comm)),
                                           blocks.size(rank_in(comm)));
  };
  for (BlockMap& map : of.mesh.maps)
    map.targets = read(map.name, map.from, map.arity, std::int64_t{});
  of.coordinates.values = read(of.coordinates.name, airfoil_nodes, 2, double{});
  const auto flags = read(of.bounds.name, airfoil_bedges, 1, std::int64_t{});
  of.bounds.values = checked_flags(comm, of, flags);
  return of;
}

void write_airfoil_hdf5(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const MeshSet& set : blocks.mesh.sets) counts.emplace_back(set.name, set.total);
  std::vector<hdf5::NewDataset> datasets;
  const auto add = [&](const std::string& name, int set, int dim, hdf5::ValueType type, int size) {
    datasets.push_back({name, {blocks.mesh.sets[set].total, dim}, type, size});
  };
  const auto int32 = hdf5::ValueType::int32, float64 = hdf5::ValueType::float64;
  for (const BlockMap& map : blocks.mesh.maps)
    add(map.name, map.from, map.arity, int32, static_cast<int>(blocks.mesh.sets[map.from].total));
  add(blocks.coordinates.name, airfoil_nodes, 2, float64, 2 * sizeof(double));
  add(blocks.bounds.name, airfoil_bedges, 1, int32, sizeof(std::int32_t));
  add("p_q", airfoil_cells, 4, float64, 4 * sizeof(double));
  // Zeros, which OP2's program replaces before it reads them, but for p_res, which begins so.
  for (const auto& [name, dim] : {std::pair("p_qold", 4), {"p_adt", 1}, {"p_res", 4}})
    add(name, airfoil_cells, dim, float64, dim * static_cast<int>(sizeof(double)));

  SharedOutput file(comm, path);
  std::vector<std::int64_t> begins(datasets.size(), -1);
  if (rank_in(comm) == 0) {
    try_room(file, datasets);
    try {
      if (!file.name().empty()) begins = hdf5::lay_out(file.name(), counts, constants(), datasets);
    } catch (const BadInput& error) {
      file.fail(error.what());
    }
  }
  MPI_Bcast(begins.data(), static_cast<int>(begins.size()), MPI_INT64_T, 0, comm);
  if (begins.front() >= 0) {
    auto begin = begins.begin();
    const auto write = [&](int set, const auto& values, int dim) {
      const std::int64_t row_bytes = dim * static_cast<std::int64_t>(sizeof(values[0]));
      const std::int64_t first = blocks.mesh.blocks(set, ranks_in(comm)).first(rank_in(comm));
      file.write(*begin++ + first * row_bytes, values.data(), values.size() * sizeof(values[0]));
    };
    for (const BlockMap& map : blocks.mesh.maps)
      write(map.from, std::vector<std::int32_t>(map.targets.begin(), map.targets.end()), map.arity);
    write(airfoil_nodes, blocks.coordinates.values, 2);
    write(airfoil_bedges, blocks.bounds.values, 1);
    const Blocks cells = blocks.mesh.blocks(airfoil_cells, ranks_in(comm));
    write(airfoil_cells, free_streams(cells.size(rank_in(comm))), 4);
  }
  file.finish();
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

AirfoilBlocks read_airfoil_hdf5(MPI_Comm, const std::string& path, const MemoryCheck&) {
  no_hdf5(path);
}
void write_airfoil_hdf5(MPI_Comm, const AirfoilBlocks&, const std::string& path) { no_hdf5(path); }

#endif

}  // namespace bellwether
