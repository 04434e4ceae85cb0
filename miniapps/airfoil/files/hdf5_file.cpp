// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/files/hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "miniapps/comm/session/session.hpp"
#include "models/errors.hpp"

namespace bellwether::hdf5 {
namespace {

/// A space of `count` rows; and in a dataset's space the rows that are meant, perhaps none.
Handle memory_rows(std::int64_t count, hsize_t columns) {
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(count), columns};
  Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
  if (count == 0) H5Sselect_none(space.id());
  return space;
}
void select_rows(const Handle& space, std::int64_t first, std::int64_t count, hsize_t columns) {
  if (count == 0) {
    H5Sselect_none(space.id());
    return;
  }
  const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
  const std::array<hsize_t, 2> rows{static_cast<hsize_t>(count), columns};
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, rows.data(), nullptr);
}

}  // namespace

void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle access_alone() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id(), false, true);
#endif
  return access;
}

bool is_hdf5(const std::string& path) {
  keep_quiet();
  return H5Fis_hdf5(path.c_str()) > 0;
}

File File::open(MPI_Comm comm, const std::string& path) {
  keep_quiet();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_alone().id()), H5Fclose);
  agree_on_errors(comm, [&] {
    if (!file.valid()) throw BadInput(fmt::format("{}: cannot be read as HDF5", path));
  });
  return {comm, std::move(file), path};
}

void File::refuse(const std::string& dataset, const std::string& what) const {
  throw BadInput(fmt::format("{}, dataset {}: {}", path_, dataset, what));
}

bool File::has(const std::string& dataset) const {
  return H5Lexists(file_.id(), dataset.c_str(), H5P_DEFAULT) > 0;
}

bool File::shares_messages(const std::string& dataset) const {
#if H5_VERSION_GE(1, 12, 0)
  H5O_native_info_t info{};
  const herr_t found = H5Oget_native_info_by_name(file_.id(), dataset.c_str(), &info,
                                                  H5O_NATIVE_INFO_HDR, H5P_DEFAULT);
#else
  H5O_info_t info{};
  const herr_t found =
      H5Oget_info_by_name2(file_.id(), dataset.c_str(), &info, H5O_INFO_HDR, H5P_DEFAULT);
#endif
  return found >= 0 && info.hdr.mesg.shared != 0;
}

Handle File::open_dataset(const std::string& dataset, std::array<std::int64_t, 2> shape,
                          bool integers, std::size_t value_bytes) const {
  const bool can_be_opened = !shares_messages(dataset);
  Handle source(can_be_opened ? H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  agree_on_errors(comm_, [&] {
    if (!has(dataset)) refuse(dataset, "not found");
    if (!can_be_opened) refuse(dataset, "cannot be read: its header lies elsewhere in part");
    if (!source.valid()) refuse(dataset, "found, but it is no dataset");
    check_type(source, dataset, integers);
    check_shape(source, dataset, shape);
    check_bytes(source, dataset, shape, value_bytes);
  });
  return source;
}

void File::check_type(const Handle& source, const std::string& dataset, bool integers) const {
  const Handle type(H5Dget_type(source.id()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_INTEGER && (integers || kind != H5T_FLOAT))
    refuse(dataset,
           fmt::format("found another type, expected {}", integers ? "integers" : "numbers"));
  // HDF5 takes buffers of a number's size, which a damaged file may say is anything.
  constexpr std::size_t widest = 16;
  if (const std::size_t bytes = H5Tget_size(type.id()); bytes > widest)
    refuse(dataset, fmt::format("found numbers of {} bytes, expected at most {}", bytes, widest));
}

void File::check_shape(const Handle& source, const std::string& dataset,
                       std::array<std::int64_t, 2> shape) const {
  const Handle space(H5Dget_space(source.id()), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  const int dimensions = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const hsize_t columns = dimensions > 1 ? extent[1] : 1;
  if (dimensions < 1 || dimensions > 2 || extent[0] != static_cast<hsize_t>(shape[0]) ||
      columns != static_cast<hsize_t>(shape[1]))
    refuse(dataset, fmt::format("found {} x {} in {} dimensions, expected {} x {}", extent[0],
                                columns, dimensions, shape[0], shape[1]));
}

/// Without this a small file could claim any size: compression gains a factor of 1000 at most, and
/// of what was never written nothing is stored.
void File::check_bytes(const Handle& source, const std::string& dataset,
                       std::array<std::int64_t, 2> shape, std::size_t value_bytes) const {
  constexpr double most_compressed = 1100;
  std::error_code error;
  const auto file_bytes = static_cast<double>(std::filesystem::file_size(path_, error));
  if (error) refuse(dataset, "cannot be read: " + error.message());
  const double stored = std::min(file_bytes, static_cast<double>(H5Dget_storage_size(source.id())));
  const double claimed =
      static_cast<double>(shape[0] * shape[1]) * static_cast<double>(value_bytes);
  if (claimed > most_compressed * stored)
    refuse(dataset, fmt::format("found {} x {} values in a file of {:.0f} bytes, {:.0f} of them "
                                "the dataset's",
                                shape[0], shape[1], file_bytes, stored));
}

void File::read(const Handle& source, const std::string& dataset, hid_t type, std::int64_t first,
                std::int64_t count, void* values) const {
  const Handle space(H5Dget_space(source.id()), H5Sclose);
  std::array<hsize_t, 2> extent{1, 1};
  const int dimensions = H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const hsize_t columns = dimensions > 1 ? extent[1] : 1;
  const Handle memory = memory_rows(count, columns);
  select_rows(space, first, count, columns);
  agree_on_errors(comm_, [&] {
    if (H5Dread(source.id(), type, memory.id(), space.id(), H5P_DEFAULT, values) < 0)
      refuse(dataset, "cannot be read");
  });
}

}  // namespace bellwether::hdf5
