// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/files/hdf5_layout.hpp"

#include <cstring>

#include "miniapps/airfoil/files/hdf5_file.hpp"
#include "models/errors.hpp"

namespace bellwether::hdf5 {
namespace {

void require(bool done, const std::string& what) {
  if (!done) throw BadInput("HDF5 cannot " + what);
}

bool write_attribute(const Handle& dataset, const char* name, hid_t type, const void* value) {
  constexpr hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  Handle attribute(H5Acreate2(dataset.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose);
  return attribute.valid() && H5Awrite(attribute.id(), type, value) >= 0 && attribute.close();
}
bool write_attribute(const Handle& dataset, const char* name, int value) {
  return write_attribute(dataset, name, H5T_NATIVE_INT, &value);
}
bool write_attribute(const Handle& dataset, const char* name, const char* value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::strlen(value));
  return write_attribute(dataset, name, type.id(), value);
}

/// A dataset of one dimension; open, so that it can be given attributes.
Handle write_values(const Handle& file, const std::string& name, hid_t type, std::size_t count,
                    const void* values) {
  const hsize_t extent = count;
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  Handle target(
      H5Dcreate2(file.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  require(target.valid() && H5Dwrite(target.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
          "write dataset " + name);
  return target;
}

void write_count(const Handle& file, const std::string& name, std::int64_t count) {
  const int value = static_cast<int>(count);
  require(write_values(file, name, H5T_NATIVE_INT, 1, &value).close(), "write dataset " + name);
}

void write_constant(const Handle& file, const NewConstant& of) {
  Handle target =
      write_values(file, of.name, H5T_NATIVE_DOUBLE, of.values.size(), of.values.data());
  require(write_attribute(target, "dim", static_cast<int>(of.values.size())) &&
              write_attribute(target, "type", "double") && target.close(),
          "write dataset " + of.name);
}

std::int64_t make_room(const Handle& file, const NewDataset& of) {
  const std::array<hsize_t, 2> extent{static_cast<hsize_t>(of.shape[0]),
                                      static_cast<hsize_t>(of.shape[1])};
  const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(properties.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER);
  const bool integers = of.type == ValueType::int32;
  Handle target(
      H5Dcreate2(file.id(), of.name.c_str(), integers ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE,
                 space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose);
  const haddr_t begin = target.valid() ? H5Dget_offset(target.id()) : HADDR_UNDEF;
  const bool is_empty = of.shape[0] == 0;  // and then nowhere
  require(target.valid() && (is_empty || begin != HADDR_UNDEF) &&
              write_attribute(target, "size", of.size) &&
              write_attribute(target, "dim", static_cast<int>(of.shape[1])) &&
              write_attribute(target, "type", integers ? "int" : "double") && target.close(),
          "write dataset " + of.name);
  return is_empty ? 0 : static_cast<std::int64_t>(begin);
}

}  // namespace

std::vector<std::int64_t> lay_out(const std::string& path,
                                  const std::vector<std::pair<std::string, std::int64_t>>& counts,
                                  const std::vector<NewConstant>& constants,
                                  const std::vector<NewDataset>& datasets) {
  keep_quiet();
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_alone().id()), H5Fclose);
  require(file.valid(), "create it");
  for (const auto& [name, count] : counts) write_count(file, name, count);
  for (const NewConstant& constant : constants) write_constant(file, constant);
  std::vector<std::int64_t> begins;
  for (const NewDataset& dataset : datasets) begins.push_back(make_room(file, dataset));
  require(H5Fflush(file.id(), H5F_SCOPE_LOCAL) >= 0, "write it");
  require(file.close(), "close it");
  return begins;
}

}  // namespace bellwether::hdf5
