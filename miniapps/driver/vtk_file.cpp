// SPDX-License-Identifier: MIT
#include "miniapps/driver/vtk_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <system_error>

#include "miniapps/comm/session.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

using BlockSize = std::uint64_t;

constexpr const char* byte_order() {
  return std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
}

std::string partial(const std::string& path) { return path + ".part"; }

std::string reason_of(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string header(const VtkContent& content) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"{1}\" header_type=\"UInt64\">\n"
      "  <{0}{2}>\n"
      "    <Piece{3}>\n",
      content.data_set, byte_order(), content.attributes, content.piece);
  unsigned long long offset = 0;
  for (const VtkContent::Section& section : content.sections) {
    text += fmt::format("      <{}>\n", section.name);
    for (const VtkArray& array : section.arrays) {
      text += fmt::format(
          "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
          "format=\"appended\" offset=\"{}\"/>\n",
          array.type, array.name, array.components, offset);
      offset += sizeof(BlockSize) + array.bytes();
    }
    text += fmt::format("      </{}>\n", section.name);
  }
  return text + fmt::format(
                    "    </Piece>\n"
                    "  </{}>\n"
                    "  <AppendedData encoding=\"raw\">\n"
                    "   _",
                    content.data_set);
}

}  // namespace

unsigned long long VtkArray::value_bytes() const {
  if (type == "UInt8") return 1;
  return type.ends_with("64") ? 8 : 4;
}

void VtkFile::check_writable(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  agree_on_errors(comm, [&] {
    if (rank != 0) return;
    if (std::filesystem::is_directory(path))
      throw BadInput(fmt::format("--output: file '{}' cannot be written: it is a folder", path));
    std::FILE* const file = std::fopen(partial(path).c_str(), "wb");
    if (file == nullptr)
      throw BadInput(fmt::format("--output: file '{}' cannot be written: {}", path,
                                 std::generic_category().message(errno)));
    std::fclose(file);
    std::remove(partial(path).c_str());
  });
}

VtkFile::VtkFile(MPI_Comm comm, std::string path, const VtkContent& content)
    : comm_(comm), path_(std::move(path)) {
  MPI_Comm_rank(comm_, &rank_);
  for (const VtkContent::Section& section : content.sections)
    arrays_.insert(arrays_.end(), section.arrays.begin(), section.arrays.end());
  const std::string head = header(content);
  auto at = static_cast<MPI_Offset>(head.size());
  for (const VtkArray& array : arrays_) {
    at += sizeof(BlockSize);
    values_at_.push_back(at);
    at += static_cast<MPI_Offset>(array.bytes());
  }
  check(MPI_File_open(comm_, partial(path_).c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE,
                      MPI_INFO_NULL, &file_),
        "opened");
  write_frame(head);
}

VtkFile::~VtkFile() {
  // Closing is collective: not during an error, which may be one rank's alone.
  if (file_ != MPI_FILE_NULL && std::uncaught_exceptions() == 0) MPI_File_close(&file_);
}

void VtkFile::write_frame(const std::string& head) {
  const std::string tail = "\n  </AppendedData>\n</VTKFile>\n";
  const MPI_Offset end = values_at_.back() + static_cast<MPI_Offset>(arrays_.back().bytes());
  check(MPI_File_set_size(file_, end + static_cast<MPI_Offset>(tail.size())), "sized");
  int status = MPI_SUCCESS;
  const auto put = [&](MPI_Offset offset, const void* data, std::size_t bytes) {
    if (status == MPI_SUCCESS)
      status = MPI_File_write_at(file_, offset, data, static_cast<int>(bytes), MPI_BYTE,
                                 MPI_STATUS_IGNORE);
  };
  if (rank_ == 0) {
    put(0, head.data(), head.size());
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const BlockSize bytes = arrays_[a].bytes();
      put(values_at_[a] - static_cast<MPI_Offset>(sizeof bytes), &bytes, sizeof bytes);
    }
    put(end, tail.data(), tail.size());
  }
  check(status, "written");
}

void VtkFile::write(std::size_t array, unsigned long long first, unsigned long long count,
                    const void* values) {
  // A call's count is an int, and so that all ranks make equally many calls they agree on how many.
  constexpr unsigned long long at_once = 1ULL << 30;
  const unsigned long long element = arrays_[array].value_bytes() * arrays_[array].components;
  const unsigned long long bytes = count * element;
  unsigned long long calls = (bytes + at_once - 1) / at_once;
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm_);
  char native[] = "native";
  int status =
      MPI_File_set_view(file_, values_at_[array], MPI_BYTE, MPI_BYTE, native, MPI_INFO_NULL);
  for (unsigned long long call = 0; call < calls; ++call) {
    const unsigned long long done = std::min(bytes, call * at_once);
    const int part = static_cast<int>(std::min(at_once, bytes - done));
    const int written = MPI_File_write_at_all(
        file_, static_cast<MPI_Offset>(first * element + done),
        static_cast<const char*>(values) + done, part, MPI_BYTE, MPI_STATUS_IGNORE);
    if (status == MPI_SUCCESS) status = written;
  }
  check(status, "written");
}

void VtkFile::write(std::size_t array, MPI_Datatype element, MPI_Datatype part,
                    unsigned long long count, const void* values) {
  char native[] = "native";
  check(count > static_cast<unsigned long long>(std::numeric_limits<int>::max()) ? MPI_ERR_COUNT
                                                                                 : MPI_SUCCESS,
        "written");
  int status = MPI_File_set_view(file_, values_at_[array], element, part, native, MPI_INFO_NULL);
  if (status == MPI_SUCCESS)
    status = MPI_File_write_all(file_, values, static_cast<int>(count), element, MPI_STATUS_IGNORE);
  check(status, "written");
}

void VtkFile::finish() {
  int status = MPI_File_sync(file_);
  const int closed = MPI_File_close(&file_);
  check(status == MPI_SUCCESS ? closed : status, "written");
  agree_on_errors(comm_, [&] {
    if (rank_ != 0) return;
    std::error_code error;
    std::filesystem::rename(partial(path_), path_, error);
    if (error)
      throw BadInput(fmt::format("file '{}' cannot be replaced: {}", path_, error.message()));
  });
}

/// Collective.
void VtkFile::check(int status, const char* doing) const {
  agree_on_errors(comm_, [&] {
    if (status != MPI_SUCCESS)
      throw BadInput(
          fmt::format("file '{}' cannot be {}: {}", partial(path_), doing, reason_of(status)));
  });
}

}  // namespace bellwether
