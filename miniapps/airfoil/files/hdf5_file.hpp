// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bellwether::hdf5 {

/// Something of HDF5's that is closed with the object.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() { (void)close(); }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  /// Before its end; whether that went well.
  [[nodiscard]] bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

/// HDF5 prints a stack of its own for each error; after this it does not.
void keep_quiet();

/// Access to a file by this rank alone, so that none waits within HDF5 for one that has failed, and
/// without locks, which not every shared file system has.
Handle access_alone();

/// Whether a file that can be read begins as HDF5 does.
bool is_hdf5(const std::string& path);

/// A file of which each rank reads its own rows. Calls are collective, except has(): where one rank
/// cannot, all throw the same BadInput with file and dataset.
class File {
 public:
  static File open(MPI_Comm comm, const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(const std::string& dataset) const;

  /// Throws unless the dataset is of `shape` (rows, columns), of integers where T is one (narrower
  /// or wider numbers are converted), and what it becomes in memory in proportion to the file.
  template <class T>
  void check_rows(const std::string& dataset, std::array<std::int64_t, 2> shape) const {
    (void)open_dataset(dataset, shape, std::is_integral_v<T>, sizeof(T));
  }
  /// Rows `first` to first + count - 1, checked as check_rows does.
  template <class T>
  [[nodiscard]] std::vector<T> read_rows(const std::string& dataset,
                                         std::array<std::int64_t, 2> shape, std::int64_t first,
                                         std::int64_t count) const {
    const Handle source = open_dataset(dataset, shape, std::is_integral_v<T>, sizeof(T));
    std::vector<T> values(static_cast<std::size_t>(count * shape[1]));
    read(source, dataset, memory_type(T{}), first, count, values.data());
    return values;
  }

 private:
  File(MPI_Comm comm, Handle file, std::string path)
      : comm_(comm), file_(std::move(file)), path_(std::move(path)) {}
  [[noreturn]] void refuse(const std::string& dataset, const std::string& what) const;
  /// Whether parts of the dataset's header lie elsewhere. HDF5 1.10.8 crashes at a damaged header
  /// that says so in a file without such a place; OP2's files have none.
  [[nodiscard]] bool shares_messages(const std::string& dataset) const;
  [[nodiscard]] Handle open_dataset(const std::string& dataset, std::array<std::int64_t, 2> shape,
                                    bool integers, std::size_t value_bytes) const;
  void check_type(const Handle& source, const std::string& dataset, bool integers) const;
  void check_shape(const Handle& source, const std::string& dataset,
                   std::array<std::int64_t, 2> shape) const;
  void check_bytes(const Handle& source, const std::string& dataset,
                   std::array<std::int64_t, 2> shape, std::size_t value_bytes) const;
  void read(const Handle& source, const std::string& dataset, hid_t type, std::int64_t first,
            std::int64_t count, void* values) const;
  static hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
  static hid_t memory_type(std::int64_t) { return H5T_NATIVE_INT64; }

  MPI_Comm comm_;
  Handle file_;
  std::string path_;
};

}  // namespace bellwether::hdf5
