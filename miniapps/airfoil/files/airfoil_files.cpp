// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/files/airfoil_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "miniapps/airfoil/mesh/airfoil_mesh_checks.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/mesh/parcels.hpp"
#include "miniapps/mesh/shared_file.hpp"
#include "models/airfoil/airfoil_mesh_text.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

bool named_hdf5(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace

AirfoilBlocks read_airfoil(MPI_Comm comm, const std::string& path,
                           const MemoryCheck& check_memory) {
  agree_on_errors(comm, [&] { require_plain_file(path); });
  AirfoilBlocks blocks = named_hdf5(path) ? read_airfoil_hdf5(comm, path, check_memory)
                                          : read_airfoil_text(comm, path, check_memory);
  check_airfoil(comm, blocks);
  return blocks;
}

void write_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path) {
  if (named_hdf5(path))
    write_airfoil_hdf5(comm, blocks, path);
  else
    write_airfoil_text(comm, blocks, path);
}

namespace {

/// Takes the first line off the text.
std::string take_line(std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

/// Collective. What rank 0 finds in the file's first line, which it takes off its share.
AirfoilMeshCounts read_counts(MPI_Comm comm, LinesShare& share, const std::string& path) {
  AirfoilMeshCounts counts;
  agree_on_errors(comm, [&] {
    if (rank_in(comm) == 0) counts = parse_mesh_counts(take_line(share.text), path);
  });
  if (rank_in(comm) > 0) --share.before;
  MPI_Bcast(counts.of.data(), airfoil_mesh_sets, MPI_INT64_T, 0, comm);
  if (share.last_filled - 1 < counts.records())
    agree_on_errors(comm, [&] {
      throw BadInput(fmt::format(
          "{}, line {}: found the file's end after {} elements, expected {} nodes, {} cells, {} "
          "edges and {} boundary edges, as line 1 says",
          path, share.last_filled + 1, share.last_filled - 1, counts.of[0], counts.of[1],
          counts.of[2], counts.of[3]));
    });
  return counts;
}

/// Collective. Rows of `dim` values for consecutive elements from `first` on go to the blocks.
template <class T>
std::vector<T> rows_to_blocks(MPI_Comm comm, const Blocks& blocks, std::int64_t first,
                              const std::vector<T>& rows, int dim) {
  std::vector<std::int64_t> elements(rows.size() / dim);
  std::iota(elements.begin(), elements.end(), first);
  return to_blocks(comm, blocks, elements, rows, dim);
}

/// Columns `from` to `from + count` of rows of four.
std::vector<std::int64_t> columns(const std::vector<std::int64_t>& rows, int from, int count) {
  std::vector<std::int64_t> chosen;
  for (std::size_t row = 0; row < rows.size(); row += 4)
    chosen.insert(chosen.end(), rows.begin() + row + from, rows.begin() + row + from + count);
  return chosen;
}

using TextBuffer = fmt::memory_buffer;

std::string nodes_text(const AirfoilBlocks& blocks) {
  TextBuffer text;
  const std::vector<double>& x = blocks.coordinates.values;
  for (std::size_t at = 0; at < x.size(); at += 2)
    fmt::format_to(std::back_inserter(text), "{} {}\n", x[at], x[at + 1]);
  return fmt::to_string(text);
}

/// A line an element, of two maps' rows or of one's alone.
std::string rows_text(const BlockMap& first, const BlockMap* second) {
  TextBuffer text;
  const auto add = [&](const BlockMap& map, std::size_t row) {
    for (int k = 0; k < map.arity; ++k)
      fmt::format_to(std::back_inserter(text), "{} ", map.targets[row * map.arity + k]);
  };
  for (std::size_t row = 0; row < first.targets.size() / first.arity; ++row) {
    add(first, row);
    if (second != nullptr) add(*second, row);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

std::string bedges_text(const AirfoilBlocks& blocks) {
  TextBuffer text;
  const auto& nodes = blocks.mesh.maps[bedge_nodes_map].targets;
  const auto& cells = blocks.mesh.maps[bedge_cell_map].targets;
  for (std::size_t row = 0; row < cells.size(); ++row)
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", nodes[2 * row], nodes[2 * row + 1],
                   cells[row], blocks.bounds.values[row]);
  return fmt::to_string(text);
}

}  // namespace

AirfoilBlocks read_airfoil_text(MPI_Comm comm, const std::string& path,
                                const MemoryCheck& check_memory) {
  LinesShare share = read_lines_share(comm, path, check_memory);
  const AirfoilMeshCounts counts = read_counts(comm, share, path);
  AirfoilBlocks of = airfoil_frame(counts.of[0], counts.of[1], counts.of[2], counts.of[3]);
  of.origin = {path, MeshOrigin::text};
  check_memory(airfoil_mesh_bytes(of.mesh));
  AirfoilMeshRecords records;
  agree_on_errors(comm,
                  [&] { records = parse_mesh_lines(share.text, share.before + 2, counts, path); });
  share.text.clear();
  share.text.shrink_to_fit();

  const auto to = [&](int set, const auto& rows, int dim) {
    return rows_to_blocks(comm, of.mesh.blocks(set, ranks_in(comm)), records.first[set], rows, dim);
  };
  of.coordinates.values = to(airfoil_nodes, records.coordinates, 2);
  std::vector<BlockMap>& maps = of.mesh.maps;
  maps[cell_nodes_map].targets = to(airfoil_cells, records.cells, 4);
  const std::vector<std::int64_t> edges = to(airfoil_edge_set, records.edges, 4);
  maps[edge_nodes_map].targets = columns(edges, 0, 2);
  maps[edge_cells_map].targets = columns(edges, 2, 2);
  const std::vector<std::int64_t> bedges = to(airfoil_bedges, records.bedges, 4);
  maps[bedge_nodes_map].targets = columns(bedges, 0, 2);
  maps[bedge_cell_map].targets = columns(bedges, 2, 1);
  of.bounds.values = checked_flags(comm, of, columns(bedges, 3, 1));
  return of;
}

void write_airfoil_text(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path) {
  const std::vector<MeshSet>& sets = blocks.mesh.sets;
  const std::vector<BlockMap>& maps = blocks.mesh.maps;
  std::string counts;
  if (rank_in(comm) == 0)
    counts =
        fmt::format("{} {} {} {}\n", sets[0].total, sets[1].total, sets[2].total, sets[3].total);
  write_sections(comm, path,
                 {counts, nodes_text(blocks), rows_text(maps[cell_nodes_map], nullptr),
                  rows_text(maps[edge_nodes_map], &maps[edge_cells_map]), bedges_text(blocks)});
}

}  // namespace bellwether
