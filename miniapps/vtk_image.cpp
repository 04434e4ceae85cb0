// SPDX-License-Identifier: MIT
#include "miniapps/vtk_image.hpp"

#include <fmt/format.h>

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

std::string reason_of(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// The box's cells within the grid's, each of `components` values.
MPI_Datatype part_of_grid(const std::array<int, 3>& cells, const Box& box, MPI_Datatype cell) {
  // MPI's first dimension is the slowest.
  const std::array<int, 3> all{cells[2], cells[1], cells[0]},
      extents{box.extent(2), box.extent(1), box.extent(0)},
      first{box.low[2], box.low[1], box.low[0]};
  MPI_Datatype part = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, all.data(), extents.data(), first.data(), MPI_ORDER_C, cell, &part);
  MPI_Type_commit(&part);
  return part;
}

}  // namespace

void VtkImage::check_writable(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  agree_on_errors(comm, [&] {
    if (rank != 0) return;
    std::FILE* const file = std::fopen(partial(path).c_str(), "wb");
    if (file == nullptr)
      throw BadInput(fmt::format("file '{}' cannot be written: {}", path,
                                 std::generic_category().message(errno)));
    std::fclose(file);
    std::remove(partial(path).c_str());
  });
}

VtkImage::VtkImage(MPI_Comm comm, std::string path, std::array<int, 3> cells,
                   std::vector<Array> arrays)
    : comm_(comm), path_(std::move(path)), cells_(cells), arrays_(std::move(arrays)) {
  MPI_Comm_rank(comm_, &rank_);
  const std::string head = header();
  auto at = static_cast<MPI_Offset>(head.size());
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    at += sizeof(BlockSize);
    values_at_.push_back(at);
    at += static_cast<MPI_Offset>(block_bytes(a));
  }
  const std::string tail = "\n  </AppendedData>\n</VTKFile>\n";
  check(MPI_File_open(comm_, partial(path_).c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE,
                      MPI_INFO_NULL, &file_),
        "opened");
  check(MPI_File_set_size(file_, at + static_cast<MPI_Offset>(tail.size())), "sized");
  const auto put = [&](MPI_Offset offset, const void* data, std::size_t bytes) {
    return MPI_File_write_at(file_, offset, data, static_cast<int>(bytes), MPI_BYTE,
                             MPI_STATUS_IGNORE);
  };
  int status = MPI_SUCCESS;
  if (rank_ == 0) {
    status = put(0, head.data(), head.size());
    for (std::size_t a = 0; a < arrays_.size() && status == MPI_SUCCESS; ++a) {
      const BlockSize bytes = block_bytes(a);
      status = put(values_at_[a] - static_cast<MPI_Offset>(sizeof bytes), &bytes, sizeof bytes);
    }
    if (status == MPI_SUCCESS) status = put(at, tail.data(), tail.size());
  }
  check(status, "written");
}

VtkImage::~VtkImage() {
  // Closing is collective: not during an error, which may be one rank's alone.
  if (file_ != MPI_FILE_NULL && std::uncaught_exceptions() == 0) MPI_File_close(&file_);
}

unsigned long long VtkImage::block_bytes(std::size_t array) const {
  return sizeof(float) * static_cast<unsigned long long>(arrays_[array].components) * cells_[0] *
         cells_[1] * cells_[2];
}

std::string VtkImage::header() const {
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", cells_[0], cells_[1], cells_[2]);
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{}\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n"
      "    <Piece Extent=\"{}\">\n"
      "      <CellData>\n",
      byte_order(), extent, extent);
  unsigned long long offset = 0;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    text += fmt::format(
        "        <DataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        arrays_[a].name, arrays_[a].components, offset);
    offset += sizeof(BlockSize) + block_bytes(a);
  }
  return text +
         "      </CellData>\n"
         "    </Piece>\n"
         "  </ImageData>\n"
         "  <AppendedData encoding=\"raw\">\n"
         "   _";
}

void VtkImage::write(std::size_t array, const Box& box, const float* values) {
  MPI_Datatype cell = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(arrays_[array].components, MPI_FLOAT, &cell);
  MPI_Type_commit(&cell);
  const bool something = !box.empty();
  MPI_Datatype part = something ? part_of_grid(cells_, box, cell) : cell;
  char native[] = "native";
  int status = box.cells() > static_cast<std::size_t>(std::numeric_limits<int>::max())
                   ? MPI_ERR_COUNT
                   : MPI_SUCCESS;
  check(status, "written");
  status = MPI_File_set_view(file_, values_at_[array], cell, part, native, MPI_INFO_NULL);
  if (status == MPI_SUCCESS)
    status =
        MPI_File_write_all(file_, values, static_cast<int>(box.cells()), cell, MPI_STATUS_IGNORE);
  if (something) MPI_Type_free(&part);
  MPI_Type_free(&cell);
  check(status, "written");
}

void VtkImage::finish() {
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
void VtkImage::check(int status, const char* doing) const {
  agree_on_errors(comm_, [&] {
    if (status != MPI_SUCCESS)
      throw BadInput(
          fmt::format("file '{}' cannot be {}: {}", partial(path_), doing, reason_of(status)));
  });
}

}  // namespace bellwether
