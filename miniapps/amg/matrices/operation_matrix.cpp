// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/operation_matrix.hpp"

#include <_hypre_parcsr_ls.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>

namespace bellwether {
namespace {

void check(const char* what) {
  if (const HYPRE_Int code = HYPRE_GetError(); code != 0) {
    HYPRE_ClearAllErrors();
    throw std::runtime_error(fmt::format("hypre: {}: error {}", what, code));
  }
}

struct Destroy {
  void operator()(hypre_ParCSRMatrix* matrix) const { hypre_ParCSRMatrixDestroy(matrix); }
  void operator()(hypre_ParVector* vector) const { hypre_ParVectorDestroy(vector); }
};
using Matrix = std::unique_ptr<hypre_ParCSRMatrix, Destroy>;
using Vector = std::unique_ptr<hypre_ParVector, Destroy>;

/// Rows of an interpolation to one that it comes from.
constexpr int coarsening = 6;

constexpr unsigned orders = 16;

/// How far from a row's own place its columns lie: of the points of a cube the nearest, in several
/// orders, as products of matrices leave them in none. The row's own comes first.
std::array<std::vector<long>, orders> offsets(int count, long side) {
  struct Point {
    long distance, offset;
  };
  std::vector<Point> points;
  constexpr long reach = 4;
  for (long z = -reach; z <= reach; ++z)
    for (long y = -reach; y <= reach; ++y)
      for (long x = -reach; x <= reach; ++x)
        points.push_back({x * x + y * y + z * z, x + side * (y + side * z)});
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.distance < b.distance; });
  std::array<std::vector<long>, orders> all;
  std::mt19937 random(1);
  for (std::vector<long>& order : all) {
    for (int n = 0; n < count; ++n) order.push_back(points[static_cast<std::size_t>(n)].offset);
    std::shuffle(order.begin() + 1, order.end(), random);
  }
  return all;
}

Vector make_vector(int size, unsigned seed) {
  std::array<HYPRE_BigInt, 2> range = {0, size};
  Vector vector(hypre_ParVectorCreate(MPI_COMM_SELF, size, range.data()));
  hypre_ParVectorInitialize_v2(vector.get(), HYPRE_MEMORY_HOST);
  std::minstd_rand random(seed);
  double* const values = hypre_VectorData(hypre_ParVectorLocalVector(vector.get()));
  std::generate_n(values, size, [&random] { return 1e-9 * static_cast<double>(random()) - 1; });
  return vector;
}

/// Diagonally dominant where rows and columns are as many, so that sweeps stay finite.
Matrix make_matrix(const AmgShape& shape) {
  const int rows = shape.rows;
  const int columns = shape.transfer ? std::max(1, rows / coarsening) : rows;
  const int of_row = std::min(shape.entries_per_row, columns);
  std::array<HYPRE_BigInt, 2> row_range = {0, rows}, column_range = {0, columns};
  Matrix matrix(hypre_ParCSRMatrixCreate(MPI_COMM_SELF, rows, columns, row_range.data(),
                                         column_range.data(), 0, rows * of_row, 0));
  hypre_ParCSRMatrixInitialize_v2(matrix.get(), HYPRE_MEMORY_HOST);
  hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix.get());
  const auto side = std::max(2L, std::lround(std::cbrt(columns)));
  const auto reach = offsets(of_row, side);
  std::minstd_rand random(7);
  HYPRE_Int entry = 0;
  for (int row = 0; row < rows; ++row) {
    hypre_CSRMatrixI(own)[row] = entry;
    const long place = 1L * row * columns / rows;
    const std::vector<long>& order = reach[random() % orders];
    for (int n = 0; n < of_row; ++n, ++entry) {
      const long column = (place + order[static_cast<std::size_t>(n)]) % columns;
      hypre_CSRMatrixJ(own)[entry] = static_cast<HYPRE_Int>(column < 0 ? column + columns : column);
      const double noise = 1e-10 * static_cast<double>(random());
      hypre_CSRMatrixData(own)[entry] = n == 0 ? of_row : -0.5 - noise;
    }
  }
  hypre_CSRMatrixI(own)[rows] = entry;
  hypre_CSRMatrixNumNonzeros(own) = entry;
  hypre_MatvecCommPkgCreate(matrix.get());
  check("a matrix");
  return matrix;
}

class HypreMatrix final : public AmgMatrix {
 public:
  explicit HypreMatrix(const AmgShape& shape)
      : matrix_(make_matrix(shape)),
        x_(make_vector(static_cast<int>(hypre_ParCSRMatrixGlobalNumCols(matrix_.get())), 1)),
        y_(make_vector(shape.rows, 2)) {
    if (shape.transfer) return;
    f_ = make_vector(shape.rows, 3);
    work_ = make_vector(shape.rows, 4);
    const hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix_.get());
    for (int row = 0; row < shape.rows; ++row)
      l1_norms_.push_back(
          std::accumulate(hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row],
                          hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row + 1], 0.,
                          [](double sum, double value) { return sum + std::abs(value); }));
  }

  void run(AmgOperation operation) override {
    switch (operation) {
      case AmgOperation::spmv:
        hypre_ParCSRMatrixMatvecOutOfPlace(-1, matrix_.get(), x_.get(), 1, f_.get(), y_.get());
        break;
      case AmgOperation::gauss_seidel:
        relax(3, nullptr);
        break;
      case AmgOperation::jacobi:
        relax(18, l1_norms_.data());
        break;
      case AmgOperation::interpolate:
        hypre_ParCSRMatrixMatvec(1, matrix_.get(), x_.get(), 1, y_.get());
        break;
      case AmgOperation::restriction:
        hypre_ParCSRMatrixMatvecT(1, matrix_.get(), y_.get(), 0, x_.get());
        break;
    }
    check("an operation of a cycle");
  }

 private:
  /// By hypre's number.
  void relax(HYPRE_Int type, double* l1_norms) {
    hypre_BoomerAMGRelax(matrix_.get(), f_.get(), nullptr, type, 0, 1, 1, l1_norms, x_.get(),
                         y_.get(), work_.get());
  }

  Matrix matrix_;
  Vector x_, y_, f_, work_;
  std::vector<double> l1_norms_;
};

}  // namespace

bool has_amg_matrices() { return true; }

std::unique_ptr<AmgMatrix> make_amg_matrix(const AmgShape& shape) {
  HYPRE_Init();  // nothing where it has begun; not ended, for others who use it
  check("HYPRE_Init");
  return std::make_unique<HypreMatrix>(shape);
}

int amg_threads() { return hypre_NumThreads(); }

}  // namespace bellwether
