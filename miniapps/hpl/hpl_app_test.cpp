// SPDX-License-Identifier: MIT
// LU on every grid of the ranks, with every way to swap and to send, against LAPACK.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/dense/host_blas.hpp"
#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/hpl/back_substitution.hpp"
#include "miniapps/hpl/hpl_case.hpp"
#include "miniapps/hpl/lu_factorization.hpp"

extern "C" void dgesv_(const int* n, const int* columns, double* a, const int* lda, int* ipiv,
                       double* b, const int* ldb, int* info);

namespace bellwether {
namespace {

/// Element (row, column) of an N x (N + 1) matrix.
using Element = std::function<double(long, long)>;

double hashed(long row, long column) {
  return hpl_element(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
}

struct Solution {
  std::vector<double> x;
  std::vector<long> pivots;
  long column_without_pivot = -1;
};

Solution by_lapack(int size, const Element& element) {
  std::vector<double> a(static_cast<std::size_t>(size) * size), b(size);
  std::vector<int> pivots(size);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) a[static_cast<std::size_t>(j) * size + i] = element(i, j);
  for (int i = 0; i < size; ++i) b[i] = element(i, size);
  const int one = 1;
  int info = 0;
  dgesv_(&size, &one, a.data(), &size, pivots.data(), b.data(), &size, &info);
  Solution solution{b, {}, info > 0 ? info - 1 : -1};
  for (const int pivot : pivots) solution.pivots.push_back(pivot - 1);
  return solution;
}

class HplTest : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    use_blas_threads(1);
  }
  [[nodiscard]] Solution solve(const HplProblem& problem, const HplVariant& variant,
                               const Element& element, NodePath path = NodePath::shared_memory) {
    const HplGrid grid(test_session(), problem.grid);
    if (!grid.has_me()) return {};
    LocalMatrix matrix(grid, device(), problem.size, problem.block);
    matrix.kernels().prepare(matrix.stream());
    const HplPart& part = matrix.part();
    std::vector<double> values(static_cast<std::size_t>(part.row_count * matrix.ld()),
                               std::numeric_limits<double>::quiet_NaN());
    for (long i = 0; i < part.row_count; ++i)
      for (long j = 0; j < part.column_count; ++j)
        values[static_cast<std::size_t>(i * matrix.ld() + j)] =
            element(part.rows.global(i), part.columns.global(j));
    device().copy(matrix.at(0, 0), values.data(), values.size() * sizeof(double), matrix.stream());
    device().fence(matrix.stream());
    LuFactorization factorization(grid, matrix, variant, path);
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    StreamTimer timer(device());
    factorization.run(clock, timer, [](long) {});
    Solution solution{back_substitution(grid, matrix, clock), factorization.pivots(),
                      factorization.column_without_pivot()};
    timer.collect(clock);
    return solution;
  }

  /// x is LAPACK's as far as the matrix' condition lets any method agree: `bound`, relative to the
  /// largest element. The same rows are exchanged.
  void expect_lapacks(const HplProblem& problem, const HplVariant& variant, const Element& element,
                      double bound, NodePath path = NodePath::shared_memory) {
    SCOPED_TRACE(fmt::format("N {}, NB {}, {}, bcast {}, swap {}, look-ahead {}, messages {}",
                             problem.size, problem.block, problem.grid.name(), variant.bcast,
                             variant.swap, variant.look_ahead, path == NodePath::messages));
    const Solution expected = by_lapack(static_cast<int>(problem.size), element);
    const Solution found = solve(problem, variant, element, path);
    if (found.x.empty()) return;
    EXPECT_EQ(found.column_without_pivot, -1);
    EXPECT_EQ(found.pivots, expected.pivots);
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < expected.x.size(); ++i) {
      largest = std::max(largest, std::abs(expected.x[i]));
      const double difference = std::abs(found.x[i] - expected.x[i]);
      error = difference <= error ? error : difference;  // NaN stays
    }
    EXPECT_LE(error, bound * largest);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, HplTest, every_backend(), backend_in_name);

TEST_P(HplTest, SolvesAsLapackOnEveryGrid) {
  const int ranks = test_session().size();
  for (int processes = 1; processes <= ranks; ++processes)
    for (const ProcessGrid& grid : process_grids(processes))
      for (const auto& [size, block] :
           {std::pair{1, 1}, {2, 1}, {7, 3}, {64, 16}, {131, 17}, {203, 64}, {97, 100}, {500, 48}})
        for (const bool look_ahead : {false, true}) {
          HplVariant variant;
          variant.look_ahead = look_ahead;
          variant.swap = size % 2 == 0 ? "spread-roll" : "mix";
          expect_lapacks({size, block, grid}, variant, hashed, 1e-9);
        }
}

TEST_P(HplTest, SolvesWithRanksAlongTheColumns) {
  for (ProcessGrid grid : process_grids(test_session().size())) {
    grid.column_major = true;
    HplVariant variant;
    for (const std::string& swap : row_swap_names())
      for (const NodePath path : {NodePath::shared_memory, NodePath::messages}) {
        variant.swap = swap;
        variant.look_ahead = !variant.look_ahead;
        expect_lapacks({211, 20, grid}, variant, hashed, 1e-9, path);
      }
  }
}

TEST_P(HplTest, SwapsAndSendsInEveryWay) {
  for (const ProcessGrid& grid : process_grids(test_session().size()))
    for (const bool look_ahead : {false, true}) {
      HplVariant variant;
      variant.look_ahead = look_ahead;
      for (const std::string& swap : row_swap_names())
        for (const NodePath path : {NodePath::shared_memory, NodePath::messages}) {
          variant.swap = swap;
          expect_lapacks({211, 20, grid}, variant, hashed, 1e-9, path);
        }
      for (const std::string& bcast : broadcast_names()) {
        variant.bcast = bcast;
        expect_lapacks({173, 12, grid}, variant, hashed, 1e-9);
      }
    }
}

/// Variants that differ in who factors panels: all that can on this device and grid.
std::vector<HplVariant> with_each_panel(const Device& device, const ProcessGrid& grid) {
  if (device.is_host()) return {{}};
  std::vector<HplVariant> all;
  for (const std::string& panel : panel_names())
    if (panel != "cusolver" || grid.rows == 1) all.push_back({.panel = panel});
  return all;
}

// Panels of the device's recursion have a base of 32 columns. Of 21 blocks the second part of the
// update begins anew several times.
TEST_P(HplTest, FactorsPanelsOnTheDevice) {
  for (const ProcessGrid& grid : process_grids(test_session().size()))
    for (HplVariant variant : with_each_panel(device(), grid))
      for (const auto& [size, block] : {std::pair{7, 3}, {97, 100}, {131, 40}, {83, 4}})
        for (const bool look_ahead : {false, true}) {
          SCOPED_TRACE(variant.panel);
          variant.look_ahead = look_ahead;
          variant.swap = size < 100 ? "spread-roll" : "mix";
          const NodePath path = size < 100 ? NodePath::messages : NodePath::shared_memory;
          expect_lapacks({size, block, grid}, variant, hashed, 1e-9, path);
        }
}

TEST_P(HplTest, RefusesPanelsByCusolverOfSeveralRowsOfProcesses) {
  if (device().is_host()) return;
  const int ranks = test_session().size();
  HplVariant variant;
  variant.panel = "cusolver";
  if (ranks > 1) {
    EXPECT_THROW((void)solve({50, 8, {ranks, 1}}, variant, hashed), std::invalid_argument);
    EXPECT_THROW(
        (void)make_hpl_case(site_on(device(), device().backend()), {50, 8, {ranks, 1}}, variant),
        BadInput);
  }
}

// A host's strip of columns is at least 512 wide: here there are several.
TEST_P(HplTest, UpdatesInStrips) {
  if (!device().is_host()) GTEST_SKIP() << "all columns are one strip";
  for (const ProcessGrid& grid : process_grids(test_session().size())) {
    for (const char* swap : {"spread-roll", "binary-exchange"})
      for (const NodePath path : {NodePath::shared_memory, NodePath::messages}) {
        HplVariant variant;
        variant.swap = swap;
        expect_lapacks({1201, 56, grid}, variant, hashed, 1e-8, path);
      }
  }
}

/// What x leaves of the right-hand side, as HPL measures it.
double residual_of(const std::vector<double>& x, const Element& element) {
  const auto size = static_cast<long>(x.size());
  double error = 0, largest_x = 0, of_a = 0, of_b = 0;
  for (long i = 0; i < size; ++i) {
    const double b = element(i, size);
    long double rest = -static_cast<long double>(b);
    double sum = 0;
    for (long j = 0; j < size; ++j) {
      rest += static_cast<long double>(element(i, j)) * x[static_cast<std::size_t>(j)];
      sum += std::abs(element(i, j));
    }
    const auto size_of_rest = std::abs(static_cast<double>(rest));
    error = size_of_rest <= error ? error : size_of_rest;  // NaN stays
    of_a = std::max(of_a, sum);
    of_b = std::max(of_b, std::abs(b));
    largest_x = std::max(largest_x, std::abs(x[static_cast<std::size_t>(i)]));
  }
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  return error / (unit * (of_a * largest_x + of_b) * static_cast<double>(size));
}

// A triangle whose inverse has elements of 1e10: a product with it would leave a residual of 1e6.
TEST_P(HplTest, SolvesWithATriangleWhoseInverseGrows) {
  constexpr int size = 80;
  const auto lower = [](long i, long k) {
    return i == k ? 1. : i > k ? -0.999 + 1e-3 * hashed(i, k) : 0.;
  };
  const auto upper = [](long k, long j) { return k == j ? 1. : k < j ? hashed(k, j) : 0.; };
  std::vector<double> product(static_cast<std::size_t>(size) * (size + 1));
  for (long i = 0; i < size; ++i)
    for (long j = 0; j <= size; ++j)
      for (long k = 0; k < size; ++k) product[i * (size + 1) + j] += lower(i, k) * upper(k, j);
  const Element element = [&](long i, long j) { return product[i * (size + 1) + j]; };
  for (const ProcessGrid& grid : process_grids(test_session().size()))
    for (HplVariant variant : with_each_panel(device(), grid))
      for (const std::string& swap : row_swap_names()) {
        variant.swap = swap;
        const Solution found = solve({size, 40, grid}, variant, element);
        if (!found.x.empty()) {
          EXPECT_LE(residual_of(found.x, element), 16);
        }
      }
}

// Condition 1e12: x itself is known to a few digits, but what it leaves of b is as small as ever.
TEST_P(HplTest, LeavesASmallResidualOfAnIllConditionedMatrix) {
  constexpr int size = 150;
  const Element graded = [](long i, long j) {
    if (j == size) return hashed(i, j);
    return hashed(i, j) * std::pow(10., -12. * static_cast<double>(j) / size) +
           hashed(i + size, 0) * 1e-3;
  };
  for (const ProcessGrid& grid : process_grids(test_session().size())) {
    const Solution found = solve({size, 16, grid}, {}, graded);
    if (!found.x.empty()) {
      EXPECT_LE(residual_of(found.x, graded), 16);
    }
  }
}

// In the middle, and in the last panel, which nothing follows that would wait for it.
TEST_P(HplTest, NamesTheColumnThatHasNoPivot) {
  constexpr int size = 90;
  for (const int column : {37, 85}) {
    const Element singular = [column](long i, long j) {
      return j == column || i == 5 ? 0 : hashed(i, j);
    };
    for (const ProcessGrid& grid : process_grids(test_session().size()))
      for (const HplVariant& variant : with_each_panel(device(), grid)) {
        const Solution found = solve({size, 16, grid}, variant, singular);
        if (found.x.empty()) continue;
        EXPECT_EQ(found.column_without_pivot, column) << grid.name() << ' ' << variant.panel;
      }
  }
}

TEST_P(HplTest, VerifiesEveryRun) {
  const Session& session = test_session();
  for (const ProcessGrid& grid : process_grids(session.size())) {
    const HplProblem problem{300, 32, grid};
    const auto subject = make_hpl_case(site_on(device(), device().backend()), problem, {});
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    subject->restart();
    subject->step(clock);
    subject->finish(clock);
    const Verification verified = subject->verify();
    EXPECT_TRUE(verified.passed) << verified.value;
    EXPECT_EQ(verified.what, "scaled residual");
    EXPECT_GT(verified.value, 0);
    // Twice on the same matrix is no solution of it.
    subject->step(clock);
    subject->finish(clock);
    EXPECT_FALSE(subject->verify().passed);
    EXPECT_EQ(subject->problem().at("grid"), (nlohmann::json{grid.rows, grid.columns}));
  }
}

TEST_P(HplTest, HasTheHostsBlasTakeTheThreadsOfTheRun) {
  for (const int threads : {1, 2}) {
    HplVariant variant;
    variant.threads = threads;
    const HplProblem problem{50, 8, {1, test_session().size()}};
    const auto subject = make_hpl_case(site_on(device(), device().backend()), problem, variant);
    if (blas_threads() == 0) GTEST_SKIP() << "the BLAS does not say";
    EXPECT_EQ(blas_threads(), threads);
  }
}

// What is large a GPU rounds up to 2 MiB, and all that is small together.
TEST_P(HplTest, TakesTheMemoryThatItAsksFor) {
  const HplGrid grid(test_session(), {1, 1});
  if (device().is_host() || !grid.has_me() || test_session().size() > 1) return;
  constexpr int size = 2400, block = 1200;
  constexpr double mebibyte = 1 << 20;
  const auto available = [&] { return static_cast<double>(device().memory_available()); };
  const double before = available();
  LocalMatrix matrix(grid, device(), size, block);
  const double with_matrix = available();
  const HplUpdate update(grid, matrix, {}, NodePath::messages);
  const double with_update = available();
  const auto is_about = [&](double taken, std::size_t asked) {
    EXPECT_GE(taken, static_cast<double>(asked));
    EXPECT_LE(taken, static_cast<double>(asked) + 4 * mebibyte);
  };
  is_about(before - with_matrix, LocalMatrix::most_bytes(size, block, {1, 1}));
  is_about(with_matrix - with_update, HplUpdate::most_bytes(size, block, {1, 1}, true));
}

TEST_P(HplTest, RefusesWhatDoesNotFitBeforeItAllocates) {
  const HplProblem problem{20'000'000, 200, {1, test_session().size()}};
  EXPECT_THROW((void)make_hpl_case(site_on(device(), device().backend()), problem, {}),
               BadEnvironment);
}

}  // namespace
}  // namespace bellwether
