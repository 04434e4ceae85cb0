// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace bellwether::hdf5 {

/// Something of HDF5's that is closed with the object.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// What OP2 notes of a dataset: `size`, of a map how many elements it has, of data how many bytes
/// one has; `type` as C names it.
struct Op2Attributes {
  int size = 0;
  const char* type = "";
};

/// Whether a file that can be read begins as HDF5 does.
bool is_hdf5(const std::string& path);

/// A file that the ranks of a communicator read or write together, in rows: datasets of one or two
/// dimensions, of which every rank has consecutive rows. All calls are collective. Errors are
/// BadInput with file and dataset, found on all ranks alike.
class File {
 public:
  static File open(MPI_Comm comm, const std::string& path);
  static File create(MPI_Comm comm, const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(const std::string& dataset) const;

  /// Rows `first` to first + count - 1 of a dataset that must be of `shape` (rows, columns) and of
  /// integers where T is one; narrower or wider numbers are converted.
  template <class T>
  [[nodiscard]] std::vector<T> read_rows(const std::string& dataset,
                                         std::array<std::int64_t, 2> shape, std::int64_t first,
                                         std::int64_t count) const {
    std::vector<T> values;
    const Handle source = open_dataset(dataset, shape, std::is_integral_v<T>);
    values.resize(static_cast<std::size_t>(count * shape[1]));
    read(source, dataset, memory_type(T{}), first, count, values.data());
    return values;
  }
  /// Writes a dataset of `shape` with OP2's attributes size, dim and type.
  template <class T>
  void write_rows(const std::string& dataset, std::array<std::int64_t, 2> shape, std::int64_t first,
                  const std::vector<T>& values, const Op2Attributes& attributes) const {
    write(dataset, shape, memory_type(T{}), first,
          static_cast<std::int64_t>(values.size()) / shape[1], values.data(), attributes);
  }
  /// A dataset of one integer, as OP2 counts a set.
  void write_count(const std::string& dataset, std::int64_t count) const;

 private:
  File(Handle file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  [[noreturn]] void refuse(const std::string& dataset, const std::string& what) const;
  [[nodiscard]] Handle open_dataset(const std::string& dataset, std::array<std::int64_t, 2> shape,
                                    bool integers) const;
  void read(const Handle& source, const std::string& dataset, hid_t type, std::int64_t first,
            std::int64_t count, void* values) const;
  void write(const std::string& dataset, std::array<std::int64_t, 2> shape, hid_t type,
             std::int64_t first, std::int64_t count, const void* values,
             const Op2Attributes& attributes) const;
  static hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
  static hid_t memory_type(std::int32_t) { return H5T_NATIVE_INT32; }
  static hid_t memory_type(std::int64_t) { return H5T_NATIVE_INT64; }

  Handle file_;
  std::string path_;
};

}  // namespace bellwether::hdf5
