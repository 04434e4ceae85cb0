// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/operation_matrix.hpp"

#include <_hypre_parcsr_ls.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
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

/// Entries of one row after another, as BoomerAMG's have them: of a stencil (7 and 27 entries)
/// equally many; in the matrix of the second level, and in interpolations, most rows as many as the
/// one before, so that a processor foresees a row's end but where that changes; further ones, which
/// are dense, spread by a fifth.
class RowLengths {
 public:
  RowLengths(const AmgShape& shape, int columns) {
    const int mean = shape.entries_per_row;
    constexpr int dense = 30;
    int spread = 0;
    if (shape.role == AmgRole::interpolation) {
      changes_in_ = 5;
      spread = mean - 1;
    } else if (shape.role == AmgRole::level && mean > dense) {
      spread = mean / 3;
    } else if (shape.role == AmgRole::level && mean > 7 && mean != 27) {
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
  constexpr int stencil = 7;
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
    std::shuffle(order.begin() + 1, order.end(), random);
  }
  return all;
}

/// Two ranks or three: as few as make hypre do what it does about messages.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_split(comm, ranks < 2 ? 0 : std::min(rank / 2, ranks / 2 - 1), rank, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  ~Neighbours() { MPI_Comm_free(&comm_); }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// This rank's of equally long ranges.
  [[nodiscard]] std::array<HYPRE_BigInt, 2> range(int size) const {
    return {HYPRE_BigInt{size} * rank_, HYPRE_BigInt{size} * (rank_ + 1)};
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
};

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

/// Diagonally dominant where rows and columns are as many, so that sweeps stay finite.
Matrix make_matrix(const Neighbours& all, const AmgShape& shape) {
  const int rows = shape.rows, columns = columns_of(shape);
  RowLengths lengths(shape, columns);
  std::array<HYPRE_BigInt, 2> row_range = all.range(rows), column_range = all.range(columns);
  Matrix matrix(hypre_ParCSRMatrixCreate(all.comm(), HYPRE_BigInt{rows} * all.ranks(),
                                         HYPRE_BigInt{columns} * all.ranks(), row_range.data(),
                                         column_range.data(), 0, rows * lengths.most(), 0));
  hypre_ParCSRMatrixInitialize_v2(matrix.get(), HYPRE_MEMORY_HOST);
  hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix.get());
  const auto side = std::max(2L, std::lround(std::cbrt(columns)));
  const auto reach = offsets(lengths.most(), side);
  std::minstd_rand random(7);
  HYPRE_Int entry = 0;
  for (int row = 0; row < rows; ++row) {
    hypre_CSRMatrixI(own)[row] = entry;
    const long place = 1L * row * columns / rows;
    const std::vector<long>& order = reach[random() % orders];
    const int of_row = lengths.next();
    for (int n = 0; n < of_row; ++n, ++entry) {
      const long offset = shape.role == AmgRole::coarsest ? n : order[static_cast<std::size_t>(n)];
      const long column = (place + offset) % columns;
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
  HypreMatrix(MPI_Comm comm, const AmgShape& shape)
      : all_(comm),
        matrix_(make_matrix(all_, shape)),
        x_(make_vector(all_, columns_of(shape), 1)),
        y_(make_vector(all_, shape.rows, 2)) {
    if (shape.role == AmgRole::interpolation) return;
    f_ = make_vector(all_, shape.rows, 3);
    for (Vector& vector : work_) vector = make_vector(all_, shape.rows, 4);
    const hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix_.get());
    for (int row = 0; row < shape.rows; ++row)
      l1_norms_.push_back(
          std::accumulate(hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row],
                          hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row + 1], 0.,
                          [](double sum, double value) { return sum + std::abs(value); }));
    constexpr double most = 2, least = 0.1;  // eigenvalues, scaled by the diagonal
    hypre_ParCSRRelax_Cheby_Setup(matrix_.get(), most, least, 0.3, chebyshev_order, 1, 0,
                                  &chebyshev_coefficients_, &chebyshev_scale_);
    check("hypre_ParCSRRelax_Cheby_Setup");
  }
  ~HypreMatrix() override {
    hypre_TFree(chebyshev_coefficients_, HYPRE_MEMORY_HOST);
    hypre_TFree(chebyshev_scale_, HYPRE_MEMORY_HOST);
  }
  HypreMatrix(const HypreMatrix&) = delete;
  HypreMatrix& operator=(const HypreMatrix&) = delete;

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
      case AmgOperation::chebyshev:
        hypre_ParCSRRelax_Cheby_Solve(matrix_.get(), f_.get(), chebyshev_scale_,
                                      chebyshev_coefficients_, chebyshev_order, 1, 0, x_.get(),
                                      y_.get(), work_[0].get(), work_[1].get(), work_[2].get());
        break;
      case AmgOperation::interpolate:
        hypre_ParCSRMatrixMatvec(1, matrix_.get(), x_.get(), 1, y_.get());
        break;
      case AmgOperation::restriction:
        hypre_ParCSRMatrixMatvecT(1, matrix_.get(), y_.get(), 0, x_.get());
        break;
      case AmgOperation::coarse_solve:
        throw std::logic_error("a coarse solve takes the coarsest level's matrix");
    }
    check("an operation of a cycle");
  }

 private:
  /// By hypre's number.
  void relax(HYPRE_Int type, double* l1_norms) {
    hypre_BoomerAMGRelax(matrix_.get(), f_.get(), nullptr, type, 0, 1, 1, l1_norms, x_.get(),
                         y_.get(), work_[0].get());
  }

  static constexpr int chebyshev_order = 2;  // hypre's default

  Neighbours all_;
  Matrix matrix_;
  Vector x_, y_, f_;
  std::array<Vector, 3> work_;
  std::vector<double> l1_norms_;
  HYPRE_Real *chebyshev_coefficients_ = nullptr, *chebyshev_scale_ = nullptr;
};

/// Gaussian elimination on the rank's own: what each does with what it gathered.
class CoarsestMatrix final : public AmgMatrix {
 public:
  explicit CoarsestMatrix(const AmgShape& shape)
      : alone_(MPI_COMM_SELF),
        matrix_(make_matrix(alone_, shape)),
        f_(make_vector(alone_, shape.rows, 1)),
        u_(make_vector(alone_, shape.rows, 2)) {
    HYPRE_BoomerAMGCreate(&solver_);
    HYPRE_BoomerAMGSetMaxLevels(solver_, 1);
    HYPRE_BoomerAMGSetPrintLevel(solver_, 0);
    hypre_BoomerAMGSetup(solver_, matrix_.get(), f_.get(), u_.get());
    check("a coarsest level");
    auto* const data = reinterpret_cast<hypre_ParAMGData*>(solver_);
    hypre_ParAMGDataFArray(data)[0] = f_.get();
    hypre_ParAMGDataUArray(data)[0] = u_.get();
    // Some versions set it up in the first solve, and there use what was there before.
    if (hypre_ParAMGDataGSSetup(data) == 0) hypre_GaussElimSetup(data, 0, elimination);
    check("hypre_GaussElimSetup");
  }
  ~CoarsestMatrix() override { HYPRE_BoomerAMGDestroy(solver_); }
  CoarsestMatrix(const CoarsestMatrix&) = delete;
  CoarsestMatrix& operator=(const CoarsestMatrix&) = delete;

  void run(AmgOperation) override {
    hypre_GaussElimSolve(reinterpret_cast<hypre_ParAMGData*>(solver_), 0, elimination);
    check("a coarse solve");
  }

 private:
  static constexpr HYPRE_Int elimination = 9;  // hypre's default

  Neighbours alone_;
  Matrix matrix_;
  Vector f_, u_;
  HYPRE_Solver solver_ = nullptr;
};

void begin() {
  HYPRE_Init();  // nothing where it has begun; not ended, for others who use it
  check("HYPRE_Init");
}

class HypreLoop final : public AmgLoop {
 public:
  HypreLoop(int doubles, int threads)
      : alone_(MPI_COMM_SELF),
        usual_threads_(hypre_NumThreads()),
        x_(make_vector(alone_, doubles, 1)),
        y_(make_vector(alone_, doubles, 2)) {
    set_threads(threads);
  }
  ~HypreLoop() override { set_threads(usual_threads_); }
  HypreLoop(const HypreLoop&) = delete;
  HypreLoop& operator=(const HypreLoop&) = delete;

  double seconds() override {
    const auto begin = std::chrono::steady_clock::now();
    hypre_ParVectorAxpy(1e-9, x_.get(), y_.get());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  static void set_threads([[maybe_unused]] int threads) {
#ifdef HYPRE_USING_OPENMP
    hypre_SetNumThreads(threads);
#endif
  }

  Neighbours alone_;
  int usual_threads_;
  Vector x_, y_;
};

}  // namespace

bool has_amg_matrices() { return true; }

std::unique_ptr<AmgMatrix> make_amg_matrix(MPI_Comm comm, const AmgShape& shape) {
  begin();
  if (shape.role == AmgRole::coarsest) return std::make_unique<CoarsestMatrix>(shape);
  return std::make_unique<HypreMatrix>(comm, shape);
}

int amg_threads() { return hypre_NumThreads(); }

std::unique_ptr<AmgLoop> make_amg_loop(int doubles, int threads) {
  begin();
  return std::make_unique<HypreLoop>(doubles, threads);
}

}  // namespace bellwether
