// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/cholesky_case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "miniapps/cholesky/cholesky_residual.hpp"
#include "miniapps/cholesky/column_factorization.hpp"
#include "miniapps/comm/cores.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/driver/variant_options.hpp"
#include "miniapps/driver/verification_checks.hpp"
#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/cholesky/column_costs.hpp"

namespace bellwether {
namespace {

/// Columns that every run verifies.
constexpr int verified_columns = 8;

/// What the first panel does to the columns behind it, now.
template <class T>
class UpdateProbe final : public Probe {
 public:
  /// `calibrated`: of one rank; 0 where it is not known.
  UpdateProbe(const Session& session, ColumnFactorization<T>& factorization, bool by_column,
              double calibrated)
      : session_(session),
        factorization_(factorization),
        by_column_(by_column),
        calibrated_(calibrated) {}
  [[nodiscard]] const char* of() const override { return by_column_ ? "updates" : "products"; }
  [[nodiscard]] const char* unit() const override { return by_column_ ? "B/s" : "flop/s"; }
  double measure() override {
    constexpr double long_enough_s = 30e-3;
    MPI_Barrier(session_.world());
    double work = 0, seconds = 0;
    while (seconds < long_enough_s) {
      const auto one = factorization_.first_update();
      if (!(one.values > 0)) break;
      work += by_column_ ? cholesky_update_values * sizeof(T) * one.values : one.flops;
      seconds += one.seconds;
    }
    // Of the ranks that have columns to update.
    constexpr double none = std::numeric_limits<double>::infinity();
    double least = seconds > 0 ? work / seconds : none;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, session_.world());
    return least < none ? least : 0;
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  const Session& session_;
  ColumnFactorization<T>& factorization_;
  bool by_column_;
  double calibrated_;
};

/// The site's session, once it is known that it has the memory.
template <class T>
const Session& enough_memory(const CaseSite& site, const CholeskyProblem& problem) {
  const Session& session = site.session;
  const auto most = [&](double bytes) { return static_cast<std::size_t>(bytes); };
  const double matrix =
      sizeof(T) * ColumnMatrix<T>::most_values(problem.size, problem.block, session.size());
  const double panels =
      ColumnFactorization<T>::host_bytes(problem.size, problem.block, session.size());
  const double on_device = ColumnFactorization<T>::device_bytes(
      problem.size, problem.block, session.size(), site.device.is_host());
  require_device_memory(session, site.device,
                        most(matrix + on_device + (site.device.is_host() ? panels : 0)),
                        "the matrix and its panels");
  return session;
}

template <class T>
class CholeskyCase final : public Case, public LongStepCase, public ProbedCase {
 public:
  CholeskyCase(const CaseSite& site, const CholeskyProblem& problem)
      : site_(site),
        problem_(problem),
        timer_(site.device),
        matrix_(site.device, problem.size, problem.block, enough_memory<T>(site, problem).size(),
                site.session.rank()) {
    const int threads = cores_of_its_own(site.session);
    if (problem.block > 1)
      agree_on_errors(site.session.world(), [&] {
        try {
          matrix_.kernels().prepare();
        } catch (const std::runtime_error& error) {
          throw BadEnvironment(fmt::format("--block {}: {}", problem_.block, error.what()));
        }
        matrix_.kernels().use_threads(threads);
      });
    factorization_ =
        std::make_unique<ColumnFactorization<T>>(site.session.world(), matrix_, problem.look_ahead);
    matrix_.fill(problem_.diagonal());
  }

  [[nodiscard]] nlohmann::json problem() const override { return problem_of(problem_); }
  [[nodiscard]] nlohmann::json variant() const override {
    nlohmann::json all = variant_of(problem_);
    all["backend"] = site_.backend;
    return all;
  }
  [[nodiscard]] nlohmann::json result() override {
    nlohmann::json found = {{"residual", residual_},
                            {"fingerprint", fmt::format("{:016x}", fingerprint_)}};
    if (problem_.block > 1) found["blas"] = matrix_.kernels().library();
    return found;
  }
  [[nodiscard]] std::string title() const override {
    const int ranks = site_.session.size();
    return fmt::format(
        "cholesky n {} {}, {}, {} rank{}, {}, overlap {}", problem_.size, problem_.precision,
        problem_.block == 1 ? "by columns" : fmt::format("block {}", problem_.block), ranks,
        ranks == 1 ? "" : "s", site_.device.description(), on_or_off(problem_.look_ahead));
  }
  [[nodiscard]] StepWork work() const override { return cholesky_work(problem_); }
  [[nodiscard]] Protocol protocol() const override {
    return {.fewest_samples = 3, .most_samples = 1000, .warm_ups = 1, .renew_each_step = true};
  }

  void restart() override { matrix_.fill(problem_.diagonal()); }
  void step(PhaseClock& clock) override {
    for (const char* term : terms_in_order()) clock.add(term, 0);
    if (report_) report_(0, "first column");
    const double begin = MPI_Wtime();
    factorization_->run(clock, timer_,
                        [&](long columns) { note_progress(columns, MPI_Wtime() - begin); });
  }
  void report_to(Report report) override { report_ = std::move(report); }
  void finish(PhaseClock& clock) override {
    site_.device.fence(matrix_.stream());
    timer_.collect(clock);
  }
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override {
    return std::make_unique<UpdateProbe<T>>(site_.session, *factorization_, problem_.block == 1,
                                            machine == nullptr ? 0 : calibrated_rate(*machine));
  }

  [[nodiscard]] Verification verify() override {
    fingerprint_ = fingerprint_of(site_.session.world(), matrix_);
    const long bad = column_not_positive(site_.session.world(), matrix_);
    constexpr double bound = 1;
    residual_ = std::numeric_limits<double>::infinity();
    if (bad >= 0)
      return {false,
              fmt::format("column {}: its diagonal is not positive, so the matrix is not positive "
                          "definite",
                          bad),
              residual_, 0};
    residual_ = cholesky_residual(site_.session.world(), matrix_, problem_.diagonal(),
                                  sampled_columns(problem_.size, verified_columns));
    return judged("|A - L L^T| / (n eps |A|)", residual_, bound);
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    return predict_cholesky(machine, run());
  }

 private:
  [[nodiscard]] CholeskyRun run() const {
    return {.size = static_cast<int>(problem_.size),
            .precision = problem_.precision,
            .ranks = site_.session.size(),
            .ranks_per_node = site_.session.most_ranks_on_a_node(),
            .overlap = problem_.look_ahead,
            .block = problem_.block};
  }
  /// The same for every rank, whichever comes to a panel first.
  [[nodiscard]] std::vector<const char*> terms_in_order() const {
    const bool is_host = site_.device.is_host(), alone = site_.session.size() == 1;
    std::vector<const char*> terms;
    const auto add = [&](bool occurs, std::initializer_list<const char*> more) {
      if (occurs) terms.insert(terms.end(), more);
    };
    const bool copies = !is_host && (!alone || problem_.block > 1);
    add(true, {"compute.scale"});
    add(copies, {"copy.to_host"});
    add(!alone, {"wait", "network.broadcast"});
    add(copies, {"copy.to_device"});
    add(true, {"compute.update"});
    return terms;
  }
  /// Some hundred times a factorization.
  void note_progress(long columns, double seconds) {
    constexpr double reports = 100;
    const auto size = static_cast<double>(problem_.size),
               left = size - static_cast<double>(columns);
    const double share = 1 - left * left * left / (size * size * size);
    if (!report_ || share * reports < std::floor(reported_ * reports) + 1) {
      if (columns == problem_.size) reported_ = 0;
      return;
    }
    reported_ = columns == problem_.size ? 0 : share;
    report_(share, fmt::format("column {} of {}, {:.4g} GFLOP/s", columns, problem_.size,
                               share * work().flops / seconds * 1e-9));
  }
  [[nodiscard]] double calibrated_rate(const Machine& machine) const {
    if (problem_.block > 1) {
      // Of as many columns as the mini-app multiplies at once.
      constexpr double columns = 256;
      std::vector<std::string> notes;
      const BlockCosts costs =
          block_costs(machine, problem_.precision, problem_.block, Bound::value, notes);
      const double rows = static_cast<double>(problem_.size), block = problem_.block;
      return 2 * rows * columns * block / costs.product(rows, columns, block);
    }
    const ColumnCosts costs(machine, problem_.precision, run().ranks_per_node,
                            site_.session.size() > 1);
    const double bytes = sizeof(T) * static_cast<double>(matrix_.values());
    return cholesky_update_values * sizeof(T) / costs.update_s(bytes, Bound::value);
  }

  const CaseSite site_;
  CholeskyProblem problem_;
  StreamTimer timer_;
  ColumnMatrix<T> matrix_;
  std::unique_ptr<ColumnFactorization<T>> factorization_;
  Report report_;
  double reported_ = 0;  ///< the share that was told last
  double residual_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t fingerprint_ = 0;  ///< of the factor that was verified last
};

}  // namespace

double CholeskyProblem::diagonal() const { return std::sqrt(static_cast<double>(size)) - shift; }

nlohmann::json problem_of(const CholeskyProblem& problem) {
  nlohmann::json object = {{"size", problem.size}, {"precision", problem.precision}};
  if (problem.shift != 0) object["shift"] = problem.shift;
  return object;
}

nlohmann::json variant_of(const CholeskyProblem& problem) {
  return {{"overlap", on_or_off(problem.look_ahead)}, {"block", problem.block}};
}

StepWork cholesky_work(const CholeskyProblem& problem) {
  const auto n = static_cast<double>(problem.size);
  StepWork work;
  work.units = work.flops = n * n * n / 3;
  work.unit = "flop/s";
  work.bytes = cholesky_update_values * value_bytes(problem.precision) * n * (n * n - 1) / 6;
  work.limit = problem.block == 1 ? WorkLimit::update_in_place : WorkLimit::matrix_product;
  work.precision = problem.precision;
  return work;
}

std::unique_ptr<Case> make_cholesky_case(const CaseSite& site, const CholeskyProblem& problem) {
  if (problem.precision == "f32") return std::make_unique<CholeskyCase<float>>(site, problem);
  return std::make_unique<CholeskyCase<double>>(site, problem);
}

}  // namespace bellwether
