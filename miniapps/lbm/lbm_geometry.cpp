// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include "kernels/launch/host_device.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

using Cells = std::array<int, 3>;
/// Fills row (j, k) of the whole domain.
using RowOf = std::function<void(int j, int k, std::vector<unsigned char>& row)>;

bool is_generated(const std::string& geometry) {
  return geometry == "none" || geometry == "channel" || geometry == "sphere" || geometry == "city";
}

bool in_sphere(const Cells& cells, int i, int j, int k) {
  const int shortest = std::min({cells[0], cells[1], cells[2]});
  const double radius = shortest * sphere_diameter / 2;
  const double x = i + 0.5 - cells[0] / 2.0, y = j + 0.5 - cells[1] / 2.0,
               z = k + 0.5 - cells[2] / 2.0;
  return x * x + y * y + z * z < radius * radius;
}

/// Blocks of about a sixth of the ground's shorter side, with streets around a building each; one
/// in five is a square without one. Heights from an eighth to half of the domain's.
bool in_building(const Cells& cells, int i, int j, int k) {
  const int edge = std::max(6, std::min(cells[0], cells[1]) / 6);
  std::uint64_t block = 0;
  for (const auto& [at, length] :
       {std::pair<std::int64_t, int>{i, cells[0]}, std::pair<std::int64_t, int>{j, cells[1]}}) {
    const std::int64_t blocks = std::max(1, length / edge);
    // In tenths of a block: whole numbers, so that every rank draws the same line.
    const std::int64_t tenths = (10 * at + 5) * blocks / length;
    if (tenths % 10 < 2 || tenths % 10 >= 8) return false;
    block = block << 32 | static_cast<std::uint64_t>(tenths / 10);
  }
  const std::uint64_t drawn = mixed_bits(block);
  if (drawn % 5 == 0) return false;
  const auto sixteenths = static_cast<int>(2 + drawn / 5 % 7);
  return 16LL * k < static_cast<std::int64_t>(sixteenths) * cells[2];
}

RowOf generated(const std::string& geometry, const Cells& cells) {
  const bool plates = geometry == "channel" || geometry == "city";
  return [=](int j, int k, std::vector<unsigned char>& row) {
    const bool plate = plates && (k == 0 || k == cells[2] - 1);
    for (int i = 0; i < cells[0]; ++i)
      row[i] = plate || (geometry == "sphere" && in_sphere(cells, i, j, k)) ||
               (geometry == "city" && in_building(cells, i, j, k));
  };
}

RowOf read_from(const std::string& path, const Cells& cells) {
  auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  return [=](int j, int k, std::vector<unsigned char>& row) {
    const std::int64_t first = (static_cast<std::int64_t>(k) * cells[1] + j) * cells[0];
    file->seekg(first);
    file->read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size()));
    if (!*file) throw BadInput(fmt::format("--geometry: file '{}' cannot be read", path));
    const auto odd = std::find_if(row.begin(), row.end(), [](unsigned char c) { return c > 1; });
    if (odd != row.end())
      throw BadInput(
          fmt::format("--geometry: file '{}', byte {}: found {}, expected 0 (fluid) or "
                      "1 (solid)",
                      path, first + (odd - row.begin()), *odd));
  };
}

}  // namespace

void check_geometry(const LbmProblem& problem) {
  if (problem.geometry == "channel" && !problem.periodic())
    throw BadInput(fmt::format("--geometry channel: found --boundary {}, expected periodic",
                               problem.boundary));
  if (is_generated(problem.geometry)) return;
  std::error_code none;
  const auto found = std::filesystem::file_size(problem.geometry, none);
  if (none)
    throw BadInput(
        fmt::format("--geometry: found '{}', expected none, channel, sphere, city or a "
                    "file that can be read",
                    problem.geometry));
  const long long expected = problem.cells[0] * problem.cells[1] * problem.cells[2];
  if (found != static_cast<std::uintmax_t>(expected))
    throw BadInput(fmt::format("--geometry: file '{}': found {} bytes, expected {} ({} x {} x {})",
                               problem.geometry, found, expected, problem.cells[0],
                               problem.cells[1], problem.cells[2]));
}

std::vector<unsigned char> solid_cells(const LbmProblem& problem,
                                       const Decomposition& decomposition, int rank,
                                       const GridLayout& layout) {
  const Cells all = decomposition.cells(), first = decomposition.offset(rank),
              cells = layout.cells();
  const RowOf row_of = is_generated(problem.geometry) ? generated(problem.geometry, all)
                                                      : read_from(problem.geometry, all);
  std::vector<unsigned char> solid(layout.elements(), 0), row(all[0]);
  // Around a periodic domain; -1 beyond a wall.
  const auto global = [&](int d, int local) {
    const int at = first[d] + local;
    if (at >= 0 && at < all[d]) return at;
    return problem.periodic() ? (at + all[d]) % all[d] : -1;
  };
  for (int k = -1; k <= cells[2]; ++k) {
    for (int j = -1; j <= cells[1]; ++j) {
      const int y = global(1, j), z = global(2, k);
      if (y >= 0 && z >= 0) row_of(y, z, row);
      for (int i = -1; i <= cells[0]; ++i) {
        const int x = global(0, i);
        solid[layout.at(i, j, k)] = x < 0 || y < 0 || z < 0 ? 1 : row[x];
      }
    }
  }
  return solid;
}

}  // namespace bellwether
