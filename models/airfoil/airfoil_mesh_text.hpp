// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bellwether {

/// The sets of an Airfoil mesh in the order in which OP2's ASCII file has their elements.
inline constexpr int airfoil_mesh_sets = 4;  ///< nodes, cells, edges, boundary edges

/// How many elements each set has.
struct AirfoilMeshCounts {
  std::array<std::int64_t, airfoil_mesh_sets> of{};

  [[nodiscard]] std::int64_t records() const { return of[0] + of[1] + of[2] + of[3]; }
  /// The records before a set's first.
  [[nodiscard]] std::int64_t before(int set) const {
    std::int64_t records = 0;
    for (int other = 0; other < set; ++other) records += of[other];
    return records;
  }
};

/// What consecutive lines of OP2's ASCII format hold: of each set a stretch of elements from
/// `first` on, as the file has them. Indices are not checked.
struct AirfoilMeshRecords {
  std::array<std::int64_t, airfoil_mesh_sets> first{};
  std::vector<double> coordinates;          ///< x and y of each node
  std::vector<std::int64_t> cells;          ///< four nodes each
  std::vector<std::int64_t> edges, bedges;  ///< two nodes, two cells; two nodes, cell, flag
};

/// The first line: the numbers of nodes, cells, edges and boundary edges, each at most 2^31 - 1
/// because OP2 counts so. Throws BadInput with file and line.
AirfoilMeshCounts parse_mesh_counts(std::string_view line, const std::string& file);

/// The lines of `text`, each a record; `first_line` is the file's number (from 1) of the first of
/// them, line 2 being the first node's. Lines beyond the last record must be blank. What is kept is
/// in proportion to the text, whatever the counts. Throws BadInput with file, line, what was found
/// and what is expected.
AirfoilMeshRecords parse_mesh_lines(std::string_view text, std::int64_t first_line,
                                    const AirfoilMeshCounts& counts, const std::string& file);

}  // namespace bellwether
