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
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

using Cells = std::array<int, 3>;
/// Fills the cells [begin, end) of row (j, k) of the whole domain.
using RowOf =
    std::function<void(int j, int k, int begin, int end, std::vector<unsigned char>& row)>;

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
  return [=](int j, int k, int begin, int end, std::vector<unsigned char>& row) {
    const bool plate = plates && (k == 0 || k == cells[2] - 1);
    for (int i = begin; i < end; ++i)
      row[i] = plate || (geometry == "sphere" && in_sphere(cells, i, j, k)) ||
               (geometry == "city" && in_building(cells, i, j, k));
  };
}

RowOf read_from(const std::string& path, const Cells& cells) {
  auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  return [=](int j, int k, int begin, int end, std::vector<unsigned char>& row) {
    const std::int64_t first = (static_cast<std::int64_t>(k) * cells[1] + j) * cells[0];
    file->seekg(first + begin);
    file->read(reinterpret_cast<char*>(row.data() + begin), end - begin);
    if (!*file) throw BadInput(fmt::format("--geometry: file '{}' cannot be read", path));
    const auto odd =
        std::find_if(row.begin() + begin, row.begin() + end, [](unsigned char c) { return c > 1; });
    if (odd != row.begin() + end)
      throw BadInput(
          fmt::format("--geometry: file '{}', byte {}: found {}, expected 0 (fluid) or "
                      "1 (solid)",
                      path, first + (odd - row.begin()), *odd));
  };
}

/// The subdomain's solid cells, row by row.
class SolidRows {
 public:
  SolidRows(const std::vector<unsigned char>& solid, const GridLayout& layout)
      : layout_(layout), rows_(layout.cells()[1] + 2), any_(rows_ * (layout.cells()[2] + 2)) {
    for (int k = -1; k <= layout.cells()[2]; ++k) {
      for (int j = -1; j <= layout.cells()[1]; ++j) {
        const auto begin = solid.begin() + layout.at(-1, j, k);
        const auto end = begin + layout.cells()[0] + 2;
        any_[index(j, k)] = std::find(begin, end, 1) != end;
      }
    }
  }
  /// Whether the row, ghost cells included, or one beside it has a solid cell.
  [[nodiscard]] bool near(int j, int k) const {
    for (int z = k - 1; z <= k + 1; ++z)
      for (int y = j - 1; y <= j + 1; ++y)
        if (any_[index(y, z)]) return true;
    return false;
  }

 private:
  [[nodiscard]] std::size_t index(int j, int k) const { return (j + 1) + rows_ * (k + 1); }

  const GridLayout& layout_;
  std::size_t rows_;
  std::vector<bool> any_;
};

}  // namespace

bool is_all_fluid(const LbmProblem& problem) {
  return problem.geometry == "none" && problem.periodic();
}

bool is_generated(const std::string& geometry) {
  return geometry == "none" || geometry == "channel" || geometry == "sphere" || geometry == "city";
}

void check_geometry(const LbmProblem& problem) {
  if (problem.geometry == "channel" && !problem.periodic())
    throw BadInput(fmt::format("--geometry channel: found --boundary {}, expected periodic",
                               problem.boundary));
  if (is_generated(problem.geometry)) return;
  require_plain_file(problem.geometry);
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
  const int begin = std::max(first[0] - 1, 0), end = std::min(first[0] + cells[0] + 1, all[0]);
  for (int k = -1; k <= cells[2]; ++k) {
    for (int j = -1; j <= cells[1]; ++j) {
      const int y = global(1, j), z = global(2, k);
      if (y >= 0 && z >= 0) {
        row_of(y, z, begin, end, row);
        for (const int x : {global(0, -1), global(0, cells[0])})
          if (x >= 0 && (x < begin || x >= end)) row_of(y, z, x, x + 1, row);
      }
      for (int i = -1; i <= cells[0]; ++i) {
        const int x = global(0, i);
        solid[layout.at(i, j, k)] = x < 0 || y < 0 || z < 0 ? 1 : row[x];
      }
    }
  }
  return solid;
}

std::size_t count_solid(const std::vector<unsigned char>& solid, const GridLayout& layout) {
  const auto& cells = layout.cells();
  std::size_t count = 0;
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j) {
      const auto begin = solid.begin() + layout.at(0, j, k);
      count += std::count(begin, begin + cells[0], 1);
    }
  return count;
}

std::vector<unsigned char> interior_mask(const std::vector<unsigned char>& solid,
                                         const GridLayout& layout, const GridLayout& field) {
  const auto& cells = layout.cells();
  std::vector<unsigned char> mask(field.elements(), 0);
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      std::copy_n(solid.begin() + layout.at(0, j, k), cells[0], mask.begin() + field.at(0, j, k));
  return mask;
}

std::vector<LbmLink> bounce_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                                  const GridLayout& field, std::array<bool, 3> wraps) {
  const auto& cells = layout.cells();
  const SolidRows rows(solid, layout);
  std::vector<LbmLink> links;
  // Where a direction wraps, the mask's ghost cells are the other end's, but no place is there.
  const auto place = [&](std::array<int, 3> cell) {
    for (int d = 0; d < 3; ++d)
      if (wraps[d]) cell[d] = (cell[d] + cells[d]) % cells[d];
    return field.at(cell[0], cell[1], cell[2]);
  };
  const auto add_links_of = [&](int i, int j, int k) {
    for (std::int8_t p = 0; p < d3q19::pairs; ++p) {
      const auto& c = d3q19::velocity[p];
      if (solid[layout.at(i + c[0], j + c[1], k + c[2])] != 0)
        links.push_back({place({i + c[0], j + c[1], k + c[2]}), p, 1, {}});
      if (solid[layout.at(i - c[0], j - c[1], k - c[2])] != 0)
        links.push_back({field.at(i, j, k), p, -1, {}});
    }
  };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j) {
      if (!rows.near(j, k)) continue;
      for (int i = 0; i < cells[0]; ++i)
        if (solid[layout.at(i, j, k)] == 0) add_links_of(i, j, k);
    }
  // One pair of slots after the other: neighbouring work items then touch neighbouring places.
  std::stable_sort(links.begin(), links.end(),
                   [](const LbmLink& a, const LbmLink& b) { return a.pair < b.pair; });
  return links;
}

}  // namespace bellwether
