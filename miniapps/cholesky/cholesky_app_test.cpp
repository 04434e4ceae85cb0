// SPDX-License-Identifier: MIT
// The factor on any number of ranks, by columns and by blocks, against LAPACK's.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/cholesky/cholesky_case.hpp"
#include "miniapps/cholesky/cholesky_residual.hpp"
#include "miniapps/cholesky/column_factorization.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "models/cholesky/cholesky_parameters.hpp"

extern "C" {
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void spotrf_(const char* triangle, const int* n, float* a, const int* lda, int* info);
}

namespace bellwether {
namespace {

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }
void potrf(const int* n, double* a, int* info) { dpotrf_("L", n, a, n, info); }
void potrf(const int* n, float* a, int* info) { spotrf_("L", n, a, n, info); }

/// An n x n factor, and the first column that has none; -1: all have.
template <class T>
struct Factor {
  std::vector<T> l;
  long not_positive = -1;
};

template <class T>
Factor<T> by_lapack(int size, double diagonal) {
  Factor<T> factor;
  factor.l.resize(as_size(size) * as_size(size));
  for (long j = 0; j < size; ++j)
    for (long i = 0; i < size; ++i)
      factor.l[as_size(j * size + i)] = static_cast<T>(cholesky_element(i, j, diagonal));
  int info = 0;
  potrf(&size, factor.l.data(), &info);
  if (info > 0) factor.not_positive = info - 1;
  return factor;
}

class CholeskyAppTest : public BackendTest {
 protected:
  template <class T>
  struct Run {
    Run(Device& device, const CholeskyProblem& problem, NodePath path)
        : matrix(device, problem.size, problem.block, test_session().size(), test_session().rank()),
          factorization(test_session().world(), matrix, problem.look_ahead, path) {}
    ColumnMatrix<T> matrix;
    ColumnFactorization<T> factorization;
  };

  template <class T>
  std::unique_ptr<Run<T>> factored(
      const CholeskyProblem& problem, NodePath path = NodePath::shared_memory,
      const std::function<void(const ColumnMatrix<T>&)>& spoil = [](const auto&) {}) {
    auto run = std::make_unique<Run<T>>(device(), problem, path);
    run->matrix.kernels().prepare(run->matrix.stream());
    run->matrix.kernels().use_threads(1);
    run->matrix.fill(problem.diagonal());
    spoil(run->matrix);
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    StreamTimer timer(device());
    long columns = 0;
    run->factorization.run(clock, timer, [&](long done) {
      EXPECT_GT(done, columns);
      columns = done;
    });
    EXPECT_EQ(columns, problem.size);
    device().fence(run->matrix.stream());
    timer.collect(clock);
    return run;
  }
  /// By the process that has it; columns are dealt out one by one, or in blocks.
  template <class T>
  void add_to_element(const ColumnMatrix<T>& matrix, long row, long column, T change) {
    const long panel = column / matrix.block();
    if (!matrix.owns(panel)) return;
    T value;
    T* const at = matrix.at(row, matrix.columns_before(panel) + column - panel * matrix.block());
    device().copy(&value, at, sizeof value, matrix.stream());
    device().fence(matrix.stream());
    value += change;
    device().copy(at, &value, sizeof value, matrix.stream());
    device().fence(matrix.stream());
  }
  /// Of all processes, on all.
  template <class T>
  Factor<T> gathered(const ColumnMatrix<T>& matrix) {
    const long size = matrix.size();
    Factor<T> factor;
    factor.l.assign(as_size(size * size), T(0));
    for (long column = 0; column < matrix.columns().count; ++column) {
      const long k = matrix.columns().dealt.global(column);
      device().copy(&factor.l[as_size(k * size + k)], matrix.at(k, column),
                    as_size(size - k) * sizeof(T), matrix.stream());
    }
    device().fence(matrix.stream());
    MPI_Allreduce(MPI_IN_PLACE, factor.l.data(), static_cast<int>(factor.l.size()),
                  sizeof(T) == 4 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, test_session().world());
    factor.not_positive = column_not_positive(test_session().world(), matrix);
    return factor;
  }
  /// To rounding: relative to the largest of its values, and the matrix' condition is about 4.
  template <class T>
  void expect_lapacks(const CholeskyProblem& problem, const Factor<T>& expected,
                      NodePath path = NodePath::shared_memory) {
    SCOPED_TRACE(fmt::format("n {}, {} bytes, block {}, look-ahead {}, messages {}", problem.size,
                             sizeof(T), problem.block, problem.look_ahead,
                             path == NodePath::messages));
    const auto run = factored<T>(problem, path);
    const Factor<T> found = gathered(run->matrix);
    EXPECT_EQ(found.not_positive, -1);
    const double bound = 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                         static_cast<double>(problem.size) * std::sqrt(problem.diagonal());
    double error = 0;
    for (long j = 0; j < problem.size; ++j)
      for (long i = j; i < problem.size; ++i) {
        const auto n = as_size(j * problem.size + i);
        const double difference =
            std::abs(static_cast<double>(found.l[n]) - static_cast<double>(expected.l[n]));
        error = difference <= error ? error : difference;  // NaN stays
      }
    EXPECT_LE(error, bound);
    EXPECT_LE(cholesky_residual(test_session().world(), run->matrix, problem.diagonal()), 2);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, CholeskyAppTest, every_backend(), backend_in_name);

TEST_P(CholeskyAppTest, FactorsAsLapack) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    for (const long size : {1L, 2L, 3L, 17L, 100L, 129L}) {
      CholeskyProblem problem{.size = size};
      const Factor<T> expected = by_lapack<T>(static_cast<int>(size), problem.diagonal());
      ASSERT_EQ(expected.not_positive, -1);
      for (const int block : {1, 3, 8, 64})
        for (const bool look_ahead : {false, true})
          for (const NodePath path : {NodePath::shared_memory, NodePath::messages}) {
            // A GPU's panels go by messages anyway.
            if (block > size || (!device().is_host() && path == NodePath::messages)) continue;
            problem.block = block;
            problem.look_ahead = look_ahead;
            expect_lapacks(problem, expected, path);
          }
    }
  });
}

// Several groups of columns to a process, the last of them not whole.
TEST_P(CholeskyAppTest, UpdatesGroupByGroup) {
  CholeskyProblem problem{.size = 1101};
  const Factor<double> expected = by_lapack<double>(1101, problem.diagonal());
  for (const auto& [block, look_ahead] : {std::pair{40, true}, {300, true}, {300, false}}) {
    problem.block = block;
    problem.look_ahead = look_ahead;
    expect_lapacks(problem, expected);
  }
}

/// Whichever element of the factor it is.
TEST_P(CholeskyAppTest, AWrongElementLeavesAResidual) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    const CholeskyProblem problem{.size = 21};
    const auto run = factored<T>(problem);
    const ColumnMatrix<T>& matrix = run->matrix;
    const auto residual = [&] {
      return cholesky_residual(test_session().world(), matrix, problem.diagonal());
    };
    const T change = 400 * std::numeric_limits<T>::epsilon();
    for (long column = 0; column < problem.size; ++column)
      for (long row = column; row < problem.size; ++row) {
        add_to_element(matrix, row, column, change);
        ASSERT_GT(residual(), 2) << row << ' ' << column;
        add_to_element(matrix, row, column, -change);
      }
    EXPECT_LE(residual(), 2);
  });
}

/// What is factored then is another matrix, and L its factor.
TEST_P(CholeskyAppTest, AnElementThatWasWrongBeforeLeavesAResidual) {
  each_precision([&](auto zero) {
    using T = decltype(zero);
    for (const int block : {1, 16})
      for (const auto& [row, column] : {std::pair{129L, 0L}, {77L, 5L}, {80L, 80L}, {129L, 128L}}) {
        const CholeskyProblem problem{.size = 130, .block = block};
        const auto run = factored<T>(
            problem, NodePath::shared_memory, [&, at = std::pair(row, column)](const auto& matrix) {
              add_to_element(matrix, at.first, at.second, 1000 * std::numeric_limits<T>::epsilon());
            });
        EXPECT_GT(cholesky_residual(test_session().world(), run->matrix, problem.diagonal()), 2)
            << "block " << block << ", row " << row;
      }
  });
}

TEST_P(CholeskyAppTest, NamesTheColumnThatIsNotPositive) {
  for (const double shift : {5., 8., 1000.}) {
    CholeskyProblem problem{.size = 100, .shift = shift};
    const Factor<double> expected = by_lapack<double>(100, problem.diagonal());
    ASSERT_GE(expected.not_positive, 0) << shift;
    for (const int block : {1, 8, 64})
      for (const bool look_ahead : {false, true}) {
        problem.block = block;
        problem.look_ahead = look_ahead;
        const auto run = factored<double>(problem);
        EXPECT_EQ(column_not_positive(test_session().world(), run->matrix), expected.not_positive)
            << "shift " << shift << ", block " << block;
      }
    const auto subject = make_cholesky_case(site_on(device(), device().backend()), problem);
    subject->restart();
    take_steps(*subject, 1);
    const Verification verified = subject->verify();
    EXPECT_FALSE(verified.passed);
    EXPECT_EQ(verified.what.find(fmt::format("column {}:", expected.not_positive)), 0u)
        << verified.what;
  }
}

TEST_P(CholeskyAppTest, TakesAUsualBlockWithoutAMachine) {
  const CaseSite site = site_on(device(), device().backend());
  EXPECT_EQ(with_block({.size = 1000, .block = 0}, site).block, device().is_host() ? 128 : 256);
  EXPECT_EQ(with_block({.size = 100, .block = 0}, site).block, 100);
  EXPECT_EQ(with_block({.size = 100, .block = 16}, site).block, 16);
  EXPECT_EQ(variant_of({.size = 100, .block = 0}).at("block"), "auto");
}

TEST_P(CholeskyAppTest, VerifiesEveryRun) {
  for (const char* precision : {"f32", "f64"})
    for (const int block : {1, 16}) {
      const CholeskyProblem problem{
          .size = 110, .precision = precision, .block = block, .look_ahead = true};
      const auto subject = make_cholesky_case(site_on(device(), device().backend()), problem);
      const std::unique_ptr<Probe> probe = make_probe(*subject, nullptr);
      EXPECT_GT(probe->measure(), 0);
      EXPECT_STREQ(probe->unit(), block == 1 ? "B/s" : "flop/s");
      subject->restart();
      take_steps(*subject, 1);
      const Verification verified = subject->verify();
      EXPECT_TRUE(verified.passed) << verified.what << ' ' << verified.value;
      EXPECT_GT(verified.value, 0);
      // Twice on the same matrix is no factor of it.
      take_steps(*subject, 1);
      EXPECT_FALSE(subject->verify().passed);
      EXPECT_EQ(subject->problem(), (nlohmann::json{{"size", 110}, {"precision", precision}}));
      EXPECT_EQ(subject->variant().at("block"), block);
    }
}

// Of a machine that updates at one rate the probe's calibrated one is that, whatever it sweeps.
TEST_P(CholeskyAppTest, ProbesAgainstTheCalibratedUpdates) {
  const int ranks = test_session().size();
  CholeskyKernelRates rates;
  rates.update_start_up_s = rates.column_start_up_s = rates.scale_start_up_s = Quantity::exact(0);
  rates.update = {{1e6, Quantity::exact(3e9)}};
  rates.scale_bandwidth_bytes_per_s = Quantity::exact(1e9);
  CholeskyParameters own;
  own.kernels["f64"] = rates;
  Machine machine;
  machine.device.kind = "cpu";
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e10);
  set_section(machine, own);
  const CholeskyProblem problem{.size = 120};
  const auto subject = make_cholesky_case(site_on(device(), device().backend()), problem);
  EXPECT_NEAR(make_probe(*subject, &machine)->calibrated() / 3e9, 1, 1e-9);
  // Start-ups take of the rate what they take of the updates, whose columns are half as long as the
  // first of them in the mean: half of all rows at first, more than an eighth at last.
  own.kernels["f64"].column_start_up_s = Quantity::exact(1e-6);
  set_section(machine, own);
  const double slower = make_probe(*subject, &machine)->calibrated();
  const auto n = static_cast<double>(problem.size);
  EXPECT_LT(slower, 16 / (16 / 3e9 + 1e-6 / (n / 2 + ranks)));
  EXPECT_GT(slower, 16 / (16 / 3e9 + 1e-6 / (n / 8)));
}

// Half of the square, beside what lines and groups take.
TEST_P(CholeskyAppTest, KeepsItsShareOfTheTriangle) {
  const int ranks = test_session().size();
  for (const auto& [block, size] : {std::pair{1, 5000L}, {64, 5000L}, {64, 100L}, {8, 2000L}}) {
    const ColumnMatrix<float> matrix(device(), size, block, ranks, test_session().rank());
    const auto n = static_cast<double>(size);
    const double most = ColumnMatrix<float>::most_values(size, block, ranks, device().is_host());
    EXPECT_LE(static_cast<double>(matrix.values()), most);
    if (test_session().rank() == 0) {
      EXPECT_EQ(static_cast<double>(matrix.values()), most);
    }
    const double whole = n * (n + 16. * 2) / 2 / ranks + n + 16;
    EXPECT_LE(most, block == 1 ? whole : whole + n * ((device().is_host() ? 128. : 512.) + block));
    if (matrix.columns().count > 0) {
      const float* const first = matrix.at(matrix.columns().first_row(0), 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
    }
  }
}

TEST_P(CholeskyAppTest, RefusesWhatDoesNotFitBeforeItAllocates) {
  const CholeskyProblem problem{.size = 9'000'000};
  EXPECT_THROW((void)make_cholesky_case(site_on(device(), device().backend()), problem),
               BadEnvironment);
}

}  // namespace
}  // namespace bellwether
