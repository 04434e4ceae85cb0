// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/cholesky_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "miniapps/cholesky/cholesky_residual.hpp"
#include "miniapps/cholesky/column_factorization.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/driver/options.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/panel_costs.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// Equal parts of a factorization's updates: what holds for sweeps over all columns does not hold
/// for those that fit a core's own cache.
constexpr int probed_parts = 6;

/// Of so many own panels the one in the middle of the part, n^3 - (n - k)^3 of the work being done
/// before panel k; of two panels and more one that has others behind it.
long probed_panel(int part, long own_panels) {
  const double left = 1 - (part + 0.5) / probed_parts;
  const auto own = static_cast<double>(own_panels);
  return std::clamp(static_cast<long>((1 - std::cbrt(left)) * own), 0L,
                    std::max(0L, own_panels - 2));
}

/// What panels do to the columns behind them, now: as the factorization goes through them, so that
/// each sweep finds in the caches what it would find there.
template <class T>
class UpdateProbe final : public Probe {
 public:
  /// `calibrated`: of one rank; 0 where it is not known.
  UpdateProbe(const Session& session, ColumnFactorization<T>& factorization, bool by_column,
              long own_panels, double calibrated)
      : session_(session),
        factorization_(factorization),
        by_column_(by_column),
        own_panels_(own_panels),
        calibrated_(calibrated) {}
  /// Bytes or flops.
  [[nodiscard]] static double work(const typename ColumnFactorization<T>::Update& one,
                                   bool by_column) {
    return by_column ? cholesky_update_values * sizeof(T) * one.values : one.flops;
  }
  [[nodiscard]] const char* of() const override { return by_column_ ? "updates" : "products"; }
  [[nodiscard]] const char* unit() const override { return by_column_ ? "B/s" : "flop/s"; }
  double measure() override {
    constexpr double long_enough_s = 30e-3 / probed_parts;
    constexpr int sweeps_before = 12;  // after which a shared cache holds what it will
    double seconds_each = 0;
    for (int part = 0; part < probed_parts; ++part) {
      // All at once, and each part as fast as its slowest rank: the others wait for that one.
      MPI_Barrier(session_.world());
      const long panel = probed_panel(part, own_panels_);
      double done = 0, seconds = 0;
      for (int sweep = 0; seconds < long_enough_s; ++sweep) {
        const auto one = factorization_.time_update_by(panel);
        if (!(one.values > 0)) break;
        if (sweep < sweeps_before) continue;
        done += work(one, by_column_);
        seconds += one.seconds;
      }
      seconds_each += largest(session_.world(), done > 0 ? seconds / done : 0);
    }
    return seconds_each > 0 ? probed_parts / seconds_each : 0;
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  const Session& session_;
  ColumnFactorization<T>& factorization_;
  bool by_column_;
  long own_panels_;
  double calibrated_;
};

CholeskyRun run_of(const CholeskyProblem& problem, int ranks, int ranks_per_node) {
  return {.size = static_cast<int>(problem.size),
          .precision = problem.precision,
          .ranks = ranks,
          .ranks_per_node = ranks_per_node,
          .overlap = problem.look_ahead,
          .block = problem.block};
}

/// The site's session, once it is known that it has the memory.
template <class T>
const Session& enough_memory(const CaseSite& site, const CholeskyProblem& problem) {
  const Session& session = site.session;
  const auto most = [&](double bytes) { return static_cast<std::size_t>(bytes); };
  const double matrix =
      sizeof(T) * ColumnMatrix<T>::most_values(problem.size, problem.block, session.size(),
                                               site.device.is_host());
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
      site.build("libraries", [&] {
        agree_on_errors(site.session.world(), [&] {
          try {
            matrix_.kernels().prepare(matrix_.stream());
          } catch (const std::runtime_error& error) {
            throw BadEnvironment(fmt::format("--block {}: {}", problem_.block, error.what()));
          }
          matrix_.kernels().use_threads(threads);
        });
      });
    factorization_ =
        std::make_unique<ColumnFactorization<T>>(site.session.world(), matrix_, problem.look_ahead);
    site.build("matrix", [&] { matrix_.fill(problem_.diagonal()); });
  }

  [[nodiscard]] nlohmann::json problem() const override { return problem_of(problem_); }
  [[nodiscard]] nlohmann::json variant() const override {
    nlohmann::json all = variant_of(problem_);
    all["backend"] = site_.backend;
    return all;
  }
  [[nodiscard]] nlohmann::json result() override {
    nlohmann::json found = {{"residual", residual_}};
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
  [[nodiscard]] double held_bytes() const override {
    const auto n = static_cast<double>(problem_.size);
    return value_bytes(problem_.precision) * n * (n + 1) / 2;
  }
  [[nodiscard]] Protocol protocol() const override {
    return {.fewest_samples = 3, .most_samples = 1000, .warm_ups = 1, .renew_each_step = true};
  }

  void restart() override { matrix_.fill(problem_.diagonal()); }
  void step(PhaseClock& clock) override {
    for (const char* term : terms_in_order()) clock.add(term, 0);
    if (report_) report_(0, "first column");
    const double begin = MPI_Wtime();
    factorization_->run(clock, timer_, [&](long columns) { note_progress(columns, begin); });
  }
  void report_to(Report report) override { report_ = std::move(report); }
  void finish(PhaseClock& clock) override {
    site_.device.fence(matrix_.stream());
    timer_.collect(clock);
  }
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override {
    return std::make_unique<UpdateProbe<T>>(site_.session, *factorization_, problem_.block == 1,
                                            own_panels(),
                                            machine == nullptr ? 0 : calibrated_rate(*machine));
  }

  [[nodiscard]] std::uint64_t fingerprint() override {
    return fingerprint_of(site_.session.world(), matrix_);
  }
  [[nodiscard]] Verification verify() override {
    const long bad = column_not_positive(site_.session.world(), matrix_);
    constexpr double bound = 2;  // 0.2 to 0.8 is usual, of 1 to 2000 columns
    residual_ = std::numeric_limits<double>::infinity();
    if (bad >= 0)
      return {false,
              fmt::format("column {}: its diagonal is not positive, so the matrix is not positive "
                          "definite",
                          bad),
              residual_, 0};
    residual_ = cholesky_residual(site_.session.world(), matrix_, problem_.diagonal());
    return judged("|A x - L L^T x| / (sqrt(n) eps |A|)", residual_, bound);
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    return predict_cholesky(machine, run());
  }

 private:
  [[nodiscard]] CholeskyRun run() const {
    return run_of(problem_, site_.session.size(), site_.session.most_ranks_on_a_node());
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
  /// Some hundred times a factorization; only then the clock is asked.
  void note_progress(long columns, double begin) {
    constexpr double reports = 100;
    const auto size = static_cast<double>(problem_.size),
               left = size - static_cast<double>(columns);
    const double share = 1 - left * left * left / (size * size * size);
    if (!report_ || share * reports < std::floor(reported_ * reports) + 1) {
      if (columns == problem_.size) reported_ = 0;
      return;
    }
    reported_ = columns == problem_.size ? 0 : share;
    report_(share, fmt::format("column {} of {}, {:.4g} Gflop/s", columns, problem_.size,
                               share * work().flops / (MPI_Wtime() - begin) * 1e-9));
  }
  [[nodiscard]] long own_panels() const {
    return (matrix_.columns().count + problem_.block - 1) / problem_.block;
  }
  /// Of what is probed, as the model has it; 0 of a rank that has nothing to update.
  [[nodiscard]] double calibrated_rate(const Machine& machine) const {
    const CholeskyRun asked = run();
    const ColumnCosts columns(machine, problem_.precision,
                              std::min(asked.ranks, asked.ranks_per_node), asked.ranks > 1);
    std::vector<std::string> notes;
    const PanelCosts costs(machine, asked, columns, Bound::value, notes);
    double seconds_each = 0;
    for (int part = 0; part < probed_parts; ++part) {
      const long own = probed_panel(part, own_panels());
      const double work = UpdateProbe<T>::work(factorization_->update_by(own), problem_.block == 1);
      if (!(work > 0)) return 0;
      const auto panel = static_cast<int>(own * asked.ranks + site_.session.rank());
      seconds_each += costs.update_s(panel, 0, costs.value_s(panel)) / work;
    }
    return probed_parts / seconds_each;
  }

  const CaseSite site_;
  CholeskyProblem problem_;
  StreamTimer timer_;
  ColumnMatrix<T> matrix_;
  std::unique_ptr<ColumnFactorization<T>> factorization_;
  Report report_;
  double reported_ = 0;  ///< the share that was told last
  double residual_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

double CholeskyProblem::diagonal() const { return std::sqrt(static_cast<double>(size)) - shift; }

nlohmann::json problem_of(const CholeskyProblem& problem) {
  nlohmann::json object = {{"size", problem.size}, {"precision", problem.precision}};
  if (problem.shift != 0) object["shift"] = problem.shift;
  return object;
}

nlohmann::json variant_of(const CholeskyProblem& problem) {
  nlohmann::json variant = {{"overlap", on_or_off(problem.look_ahead)}, {"block", problem.block}};
  if (problem.block == 0) variant["block"] = "auto";
  return variant;
}

CholeskyProblem with_block(const CholeskyProblem& problem, const CaseSite& site) {
  CholeskyProblem chosen = problem;
  if (problem.block != 0) return chosen;
  if (site.machine == nullptr) {
    const int usual =
        site.device.is_host() ? host_block_without_machine : gpu_block_without_machine;
    chosen.block = static_cast<int>(std::min<long>(usual, problem.size));
  } else {
    chosen.block = with_block(*site.machine, run_of(problem, site.session.size(),
                                                    site.session.most_ranks_on_a_node()))
                       .block;
  }
  return chosen;
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
