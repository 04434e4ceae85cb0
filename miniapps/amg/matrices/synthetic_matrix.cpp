// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/synthetic_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace bellwether::synthetic {
namespace {

/// Rows of an interpolation to one that it comes from.
constexpr int coarsening = 6;

constexpr unsigned orders = 16;

/// Rows of so many entries and fewer are a stencil's.
constexpr int stencil = 7;

/// So are those of 27, which further levels' are not far from either.
bool is_finest(int entries_per_row) { return entries_per_row <= stencil || entries_per_row == 27; }

/// Entries of one row after another, as BoomerAMG's have them: of a stencil (7 and 27 entries)
/// equally many; in the matrix of the second level most rows as many as the one before, so that a
/// processor foresees a row's end but where that changes; in interpolations nearly all: of a
/// stencil's they change from row to row (1 and 3 or 4 entries), but in a pattern that is foreseen
/// too; further ones, which are dense, spread by a fifth.
class RowLengths {
 public:
  RowLengths(const AmgShape& shape, int columns) {
    const int mean = shape.entries_per_row;
    constexpr int dense = 30;
    int spread = 0;
    if (shape.role == AmgRole::interpolation) {
      changes_in_ = 20;
      spread = mean - 1;
    } else if (shape.role == AmgRole::level && mean > dense) {
      spread = mean / 3;
    } else if (shape.role == AmgRole::level && !is_finest(mean)) {
      changes_in_ = 3;
      spread = mean / 5;
    }
    least_ = std::min(mean - spread, columns);
    most_ = std::min(mean + spread, columns);
    last_ = std::min(mean, columns);
  }
  [[nodiscard]] int most() const { return most_; }
  int next() {
    if (random_() % changes_in_ == 0)
      last_ = least_ + static_cast<int>(random_() % static_cast<unsigned>(most_ - least_ + 1));
    return last_;
  }

 private:
  unsigned changes_in_ = 1;  ///< one of so many rows may differ from the one before
  int least_, most_, last_;
  std::minstd_rand random_{3};
};

/// How far from a row's own place its columns lie, in several orders, as products of matrices leave
/// them in none; a row's own comes first. They lie on the nearest lines of a cube: a stencil of 7
/// points on 5, rows of more entries on as many as they touch cache lines in hierarchies of 7-point
/// Laplacians (48^3 and 64^3 cells, HMIS: 11 for 17 entries, 19 for 44, 28 for 71 without
/// aggressive coarsening; 15 for 17, 29 for 46 and 31 for 62 with an aggressive level). There the
/// row before is among the columns of nearly all rows without, and of nearly none with an
/// aggressive level: here of half.
std::array<std::vector<long>, orders> offsets(int count, long side) {
  struct Line {
    long distance, offset;
  };
  std::vector<Line> lines;
  constexpr long reach = 5;
  for (long z = -reach; z <= reach; ++z)
    for (long y = -reach; y <= reach; ++y) lines.push_back({y * y + z * z, side * (y + side * z)});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.distance < b.distance; });
  const auto used = static_cast<std::size_t>(
      std::clamp(std::lround(count <= stencil ? count - 2. : 1.5 * std::pow(count, 0.77)), 1L,
                 static_cast<long>(lines.size())));
  std::array<std::vector<long>, orders> all;
  std::mt19937 random(1);
  for (std::vector<long>& order : all) {
    // Along each line points follow one another about its middle, beginning with the row's own;
    // on coarse levels that lies anywhere nearby.
    const bool is_stencil = count <= stencil;
    const long stride = is_stencil || random() % 2 == 0 ? 1 : 3;
    order.push_back(0);
    for (long turn = 0; order.size() < static_cast<std::size_t>(count); ++turn)
      for (std::size_t n = 0; n < used && order.size() < static_cast<std::size_t>(count); ++n) {
        const long first = n % 2 == 0 ? -1 : 1;
        const long steps = n == 0 ? turn + 1 : turn;
        const long along = (steps + 1) / 2 * (steps % 2 == 0 ? -first : first);
        const long shift = is_stencil || n == 0 ? 0 : static_cast<long>(random() % 5) - 2;
        order.push_back(lines[n].offset + shift + along * (n == 0 ? stride : 1));
      }
    if (is_stencil)  // of one order for all rows, as they are generated
      std::sort(order.begin() + 1, order.end());
    else
      std::shuffle(order.begin() + 1, order.end(), random);
  }
  return all;
}

/// Whether hypre knows of which rows others hold columns, and passes over those alone: of a matrix
/// that was given row by row, the finest. Of others it goes through all rows once more.
bool knows_border_rows(const AmgShape& shape) {
  return shape.role == AmgRole::level && is_finest(shape.entries_per_row);
}

/// The rows that have entries in others' columns, a third of their own: the last of each line of
/// the cube, which is the share that a hierarchy's rows have at a border between ranks (40^3 cells,
/// levels 1 and 2: 2.0 and 4.4 % of the entries; here 1.9 and 3.2). On coarse levels nothing tells
/// when the next comes.
class BorderRows {
 public:
  BorderRows(const AmgShape& shape, long side)
      : are_in_order_(knows_border_rows(shape)),
        least_own_(shape.role == AmgRole::level ? 1 : 0),
        side_(side) {}
  int others_of(int row, int entries) {
    const bool at_border = are_in_order_ ? row % side_ == side_ - 1
                                         : random_() % static_cast<unsigned long>(side_) == 0;
    return at_border ? std::min((entries + 2) / 3, entries - least_own_) : 0;
  }

 private:
  bool are_in_order_;
  int least_own_;  ///< the diagonal
  long side_;
  std::minstd_rand random_{11};
};

}  // namespace

void check(const char* what) {
  if (const HYPRE_Int code = HYPRE_GetError(); code != 0) {
    HYPRE_ClearAllErrors();
    throw std::runtime_error(fmt::format("hypre: {}: error {}", what, code));
  }
}

Vector make_vector(const Neighbours& all, int size, unsigned seed) {
  std::array<HYPRE_BigInt, 2> range = all.range(size);
  Vector vector(hypre_ParVectorCreate(all.comm(), HYPRE_BigInt{size} * all.ranks(), range.data()));
  hypre_ParVectorInitialize_v2(vector.get(), HYPRE_MEMORY_HOST);
  std::minstd_rand random(seed);
  double* const values = hypre_VectorData(hypre_ParVectorLocalVector(vector.get()));
  std::generate_n(values, size, [&random] { return 1e-9 * static_cast<double>(random()) - 1; });
  return vector;
}

int columns_of(const AmgShape& shape) {
  return shape.role == AmgRole::interpolation ? std::max(1, shape.rows / coarsening) : shape.rows;
}

Matrix make_matrix(const Neighbours& all, const AmgShape& shape) {
  const int rows = shape.rows, columns = columns_of(shape);
  const auto side = std::max(2L, std::lround(std::cbrt(columns)));
  const bool has_neighbours = all.ranks() > 1;
  RowLengths lengths(shape, columns);
  BorderRows borders(shape, std::max(2L, std::lround(std::cbrt(rows))));
  std::vector<int> own_of(static_cast<std::size_t>(rows)), others_of(own_of.size());
  HYPRE_Int own_entries = 0, others_entries = 0;
  for (std::size_t row = 0; row < own_of.size(); ++row) {
    const int entries = lengths.next();
    others_of[row] = has_neighbours ? borders.others_of(static_cast<int>(row), entries) : 0;
    own_of[row] = entries - others_of[row];
    own_entries += own_of[row];
    others_entries += others_of[row];
  }
  std::array<HYPRE_BigInt, 2> row_range = all.range(rows), column_range = all.range(columns);
  Matrix matrix(hypre_ParCSRMatrixCreate(all.comm(), HYPRE_BigInt{rows} * all.ranks(),
                                         HYPRE_BigInt{columns} * all.ranks(), row_range.data(),
                                         column_range.data(), 0, own_entries, others_entries));
  hypre_ParCSRMatrixInitialize_v2(matrix.get(), HYPRE_MEMORY_HOST);
  hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix.get());
  hypre_CSRMatrix* const others = hypre_ParCSRMatrixOffd(matrix.get());
  const auto reach = offsets(lengths.most(), side);
  const bool ends_lines = shape.role == AmgRole::level && lengths.most() <= stencil;
  std::minstd_rand random(7);
  HYPRE_Int entry = 0, others_entry = 0;
  for (int row = 0; row < rows; ++row) {
    hypre_CSRMatrixI(own)[row] = entry;
    hypre_CSRMatrixI(others)[row] = others_entry;
    const long place = 1L * row * columns / rows;
    const std::vector<long>& order = reach[random() % orders];
    const int own_entries_of_row = own_of[static_cast<std::size_t>(row)];
    const int others_of_row = others_of[static_cast<std::size_t>(row)];
    for (int n = 0; n < own_entries_of_row; ++n, ++entry) {
      long offset = order[static_cast<std::size_t>(n)];
      // A grid's line ends: the next one's first row waits for none, which a processor makes use
      // of.
      if (ends_lines && std::abs(offset) == 1 &&
          (row + offset + side) % side != row % side + offset)
        offset *= -2;
      const long column = (place + offset) % columns;
      hypre_CSRMatrixJ(own)[entry] = static_cast<HYPRE_Int>(column < 0 ? column + columns : column);
      const double noise = 1e-10 * static_cast<double>(random());
      hypre_CSRMatrixData(own)[entry] = n == 0 ? own_entries_of_row + others_of_row : -0.5 - noise;
    }
    for (int n = 0; n < others_of_row; ++n, ++others_entry) {
      hypre_CSRMatrixJ(others)[others_entry] = 0;
      hypre_CSRMatrixData(others)[others_entry] = -0.5;
    }
  }
  hypre_CSRMatrixI(own)[rows] = entry;
  hypre_CSRMatrixI(others)[rows] = others_entry;
  hypre_MatvecCommPkgCreate(matrix.get());
  // The column's number of all is never asked for: no message is made of it, and it stays 0.
  if (has_neighbours) {
    hypre_CSRMatrixNumCols(others) = 1;
    if (knows_border_rows(shape)) hypre_CSRMatrixSetRownnz(others);
  }
  check("a matrix");
  return matrix;
}

}  // namespace bellwether::synthetic
