// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/hdf5_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "models/errors.hpp"

namespace bellwether::hdf5 {
namespace {

/// HDF5 prints a stack of its own for each error; here errors are exceptions.
void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle access_together(MPI_Comm comm) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_mpio(access.id(), comm, MPI_INFO_NULL);
  return access;
}
Handle transfer_together() {
  Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_dxpl_mpio(transfer.id(), H5FD_MPIO_COLLECTIVE);
  return transfer;
}

/// A space of `count` rows; and in a dataset's space the rows that are meant, perhaps none.
Handle memory_rows(std::int64_t count, hsize_t columns) {
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(count), columns};
  Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
  if (count == 0) H5Sselect_none(space.id());
  return space;
}
void select_rows(const Handle& space, std::int64_t first, std::int64_t count) {
  std::array<hsize_t, 2> extent{1, 1};
  const int dimensions = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  if (count == 0) {
    H5Sselect_none(space.id());
    return;
  }
  const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
  const std::array<hsize_t, 2> rows{static_cast<hsize_t>(count), dimensions > 1 ? extent[1] : 1};
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, rows.data(), nullptr);
}

void write_attribute(const Handle& dataset, const char* name, const Handle& type,
                     const void* value) {
  constexpr hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const Handle attribute(
      H5Acreate2(dataset.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.id(), type.id(), value);
}
void write_attribute(const Handle& dataset, const char* name, int value) {
  write_attribute(dataset, name, Handle(H5Tcopy(H5T_NATIVE_INT), H5Tclose), &value);
}
void write_attribute(const Handle& dataset, const char* name, const char* value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::strlen(value));
  write_attribute(dataset, name, type, value);
}

}  // namespace

bool is_hdf5(const std::string& path) {
  keep_quiet();
  return H5Fis_hdf5(path.c_str()) > 0;
}

File File::open(MPI_Comm comm, const std::string& path) {
  keep_quiet();
  const Handle access = access_together(comm);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file.valid()) throw BadInput(fmt::format("{}: cannot be read as HDF5", path));
  return {std::move(file), path};
}

File File::create(MPI_Comm comm, const std::string& path) {
  keep_quiet();
  const Handle access = access_together(comm);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (!file.valid()) throw BadInput("HDF5 cannot create it");
  return {std::move(file), path};
}

void File::refuse(const std::string& dataset, const std::string& what) const {
  throw BadInput(fmt::format("{}, dataset {}: {}", path_, dataset, what));
}

bool File::has(const std::string& dataset) const {
  return H5Lexists(file_.id(), dataset.c_str(), H5P_DEFAULT) > 0;
}

Handle File::open_dataset(const std::string& dataset, std::array<std::int64_t, 2> shape,
                          bool integers) const {
  if (!has(dataset)) refuse(dataset, "not found");
  Handle source(H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!source.valid()) refuse(dataset, "found, but it is no dataset");
  const Handle type(H5Dget_type(source.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_INTEGER && (integers || kind != H5T_FLOAT))
    refuse(dataset,
           fmt::format("found another type, expected {}", integers ? "integers" : "numbers"));
  const Handle space(H5Dget_space(source.id()), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  const int dimensions = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const hsize_t columns = dimensions > 1 ? extent[1] : 1;
  if (dimensions < 1 || dimensions > 2 || extent[0] != static_cast<hsize_t>(shape[0]) ||
      columns != static_cast<hsize_t>(shape[1]))
    refuse(dataset, fmt::format("found {} x {} in {} dimensions, expected {} x {}", extent[0],
                                columns, dimensions, shape[0], shape[1]));
  // Without this a small file could claim any size: compression gains a factor of 1000 at most.
  constexpr double most_compressed = 1100;
  const double claimed =
      static_cast<double>(shape[0] * shape[1]) * static_cast<double>(H5Tget_size(type.id()));
  const auto file_bytes = static_cast<double>(std::filesystem::file_size(path_));
  if (claimed > most_compressed * file_bytes)
    refuse(dataset, fmt::format("found {} x {} values in a file of {:.0f} bytes", shape[0],
                                shape[1], file_bytes));
  return source;
}

void File::read(const Handle& source, const std::string& dataset, hid_t type, std::int64_t first,
                std::int64_t count, void* values) const {
  const Handle space(H5Dget_space(source.id()), H5Sclose);
  std::array<hsize_t, 2> extent{1, 1};
  const int dimensions = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const Handle memory = memory_rows(count, dimensions > 1 ? extent[1] : 1);
  select_rows(space, first, count);
  if (H5Dread(source.id(), type, memory.id(), space.id(), transfer_together().id(), values) < 0)
    refuse(dataset, "cannot be read");
}

void File::write(const std::string& dataset, std::array<std::int64_t, 2> shape, hid_t type,
                 std::int64_t first, std::int64_t count, const void* values,
                 const Op2Attributes& attributes) const {
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(shape[0]),
                                      static_cast<hsize_t>(shape[1])};
  const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
  const Handle target(H5Dcreate2(file_.id(), dataset.c_str(), type, space.id(), H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
  const Handle memory = memory_rows(count, extent[1]);
  select_rows(space, first, count);
  if (!target.valid() ||
      H5Dwrite(target.id(), type, memory.id(), space.id(), transfer_together().id(), values) < 0)
    throw BadInput(fmt::format("HDF5 cannot write dataset {}", dataset));
  write_attribute(target, "size", attributes.size);
  write_attribute(target, "dim", static_cast<int>(shape[1]));
  write_attribute(target, "type", attributes.type);
}

void File::write_count(const std::string& dataset, std::int64_t count) const {
  constexpr hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const Handle target(H5Dcreate2(file_.id(), dataset.c_str(), H5T_NATIVE_INT, space.id(),
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
  const int value = static_cast<int>(count);
  if (!target.valid() ||
      H5Dwrite(target.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer_together().id(), &value) < 0)
    throw BadInput(fmt::format("HDF5 cannot write dataset {}", dataset));
}

}  // namespace bellwether::hdf5
