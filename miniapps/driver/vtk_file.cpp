// SPDX-License-Identifier: MIT
#include "miniapps/driver/vtk_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/session.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

using BlockSize = std::uint64_t;

constexpr const char* byte_order() {
  return std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
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

VtkTarget VtkFile::checked_target(MPI_Comm comm, const std::string& path) {
  agree_on_errors(comm, [&] {
    if (rank_in(comm) != 0) return;
    const auto refuse = [&path](const std::string& reason) {
      throw BadInput(fmt::format("--output: file '{}' cannot be written: {}", path, reason));
    };
    if (std::filesystem::is_directory(path)) refuse("it is a folder");
    std::string beside;
    const int file = open_beside(path, beside);
    if (file < 0) refuse(std::generic_category().message(errno));
    close(file);
    unlink(beside.c_str());
  });
  return {path, state_of(path)};
}

VtkFile::VtkFile(MPI_Comm comm, const VtkTarget& target, const VtkContent& content)
    : comm_(comm), target_(target), file_(comm, target.path) {
  for (const VtkContent::Section& section : content.sections)
    arrays_.insert(arrays_.end(), section.arrays.begin(), section.arrays.end());
  const std::string head = header(content), tail = "\n  </AppendedData>\n</VTKFile>\n";
  auto at = static_cast<std::int64_t>(head.size());
  for (const VtkArray& array : arrays_) {
    at += sizeof(BlockSize);
    values_at_.push_back(at);
    at += static_cast<std::int64_t>(array.bytes());
  }
  if (rank_in(comm_) != 0) return;
  file_.write(0, head.data(), head.size());
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    const BlockSize bytes = arrays_[a].bytes();
    file_.write(values_at_[a] - static_cast<std::int64_t>(sizeof bytes), &bytes, sizeof bytes);
  }
  file_.write(at, tail.data(), tail.size());
}

void VtkFile::write(std::size_t array, unsigned long long first, unsigned long long count,
                    const void* values) {
  const unsigned long long element = arrays_[array].value_bytes() * arrays_[array].components;
  file_.write(values_at_[array] + static_cast<std::int64_t>(first * element), values,
              count * element);
}

void VtkFile::finish() {
  agree_on_errors(comm_, [&] {
    if (rank_in(comm_) == 0) check_unchanged(target_.path, target_.before);
  });
  file_.finish();
}

}  // namespace bellwether
