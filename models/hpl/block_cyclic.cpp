// SPDX-License-Identifier: MIT
#include "models/hpl/block_cyclic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/errors.hpp"

namespace bellwether {

std::string ProcessGrid::name() const { return fmt::format("{}x{}", rows, columns); }

long busiest_local_length(long length, int block, int processes) {
  const long whole = length / block;
  const long rounds = whole / processes;
  // The process next in turn gets the last, partial block; unless another has one whole more.
  const long beyond = whole % processes > 0 ? block : length % block;
  return rounds * block + beyond;
}

std::vector<ProcessGrid> process_grids(int ranks) {
  std::vector<ProcessGrid> wide, tall;
  for (int rows = 1; rows <= ranks / rows; ++rows) {
    if (ranks % rows != 0) continue;
    wide.push_back({rows, ranks / rows});
    if (rows != ranks / rows) tall.push_back({ranks / rows, rows});
  }
  wide.insert(wide.end(), tall.rbegin(), tall.rend());
  return wide;
}

ProcessGrid nearest_square(int ranks) {
  ProcessGrid best{1, ranks};
  for (int rows = 1; rows <= ranks / rows; ++rows)
    if (ranks % rows == 0) best = {rows, ranks / rows};
  return best;
}

ProcessGrid parse_process_grid(const std::string& text) {
  ProcessGrid grid;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  if (rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, grid.columns);
    if (columns.ec == std::errc() && columns.ptr == end && grid.rows > 0 && grid.columns > 0)
      return grid;
  }
  throw BadInput(fmt::format(
      "--grid: found \"{}\", expected auto or the rows and columns of processes as PxQ", text));
}

}  // namespace bellwether
