// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/dense/host_blas.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/driver/constant_arrays.hpp"
#include "miniapps/driver/options.hpp"
#include "miniapps/hpl/back_substitution.hpp"
#include "miniapps/hpl/lu_factorization.hpp"
#include "miniapps/hpl/split_update.hpp"
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// Device memory of the rank that has most.
std::size_t rank_bytes(const HplProblem& problem, bool on_device) {
  return LocalMatrix::most_bytes(problem.size, problem.block, problem.grid) +
         HplUpdate::most_bytes(problem.size, problem.block, problem.grid, on_device) +
         LuFactorization::most_bytes(problem.size, problem.block, problem.grid);
}

/// The rate of the first panel's products, before and after the factorization.
class HplProbe final : public Probe {
 public:
  /// `factorization` null: this rank has no part in it. `costs` null: not calibrated.
  HplProbe(const Session& session, LuFactorization* factorization, const HplCosts* costs)
      : session_(session), factorization_(factorization) {
    if (costs == nullptr) return;
    const LuFactorization::Product one =
        factorization == nullptr ? LuFactorization::Product{} : factorization->first_product();
    calibrated_ = slowest(one.flops() / costs->gemm(one.rows, one.columns, one.inner));
  }
  [[nodiscard]] const char* of() const override { return "products"; }
  [[nodiscard]] const char* unit() const override { return "flop/s"; }
  double measure() override {
    constexpr double long_enough_s = 30e-3;
    MPI_Barrier(session_.world());
    double flops = 0, seconds = 0;
    while (factorization_ != nullptr && seconds < long_enough_s) {
      const LuFactorization::Product one = factorization_->first_product();
      if (!(one.flops() > 0)) break;
      flops += one.flops();
      seconds += one.seconds;
    }
    return slowest(flops / seconds);
  }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Of the ranks that have a product.
  [[nodiscard]] double slowest(double rate) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    const double found = least(session_.world(), rate > 0 ? rate : none);
    return found < none ? found : 0;
  }

  const Session& session_;
  LuFactorization* factorization_;
  double calibrated_ = 0;
};

class HplCase final : public Case, public LongStepCase, public ProbedCase {
 public:
  HplCase(const CaseSite& site, const HplProblem& problem, const HplVariant& variant)
      : site_(site),
        problem_(problem),
        variant_(with_panel(site, problem, variant)),
        host_(host_of_split(variant)),
        grid_(enough_memory(), problem.grid),
        timer_(memory()),
        matrix_(made_matrix()) {
    site.build("libraries", [&] {
      agree_on_errors(site.session.world(), [&] { prepare(); });
      if (variant_.threads == 0) variant_.threads = cores_of_its_own(site.session);
      use_blas_threads(variant_.threads);
    });
    if (variant_.device_share == "auto")
      site.build("choice of share", [&] {
        split_->take_share(measured_device_share(site.session, grid_, matrix_, *split_));
      });
    agree_on_errors(site.session.world(), [&] { make_factorization(); });
    if (factorization_ != nullptr)
      site.build("first product", [&] { (void)factorization_->first_product(); });
  }

  [[nodiscard]] nlohmann::json problem() const override {
    nlohmann::json all = {{"size", problem_.size},
                          {"block", problem_.block},
                          {"grid", {problem_.grid.rows, problem_.grid.columns}}};
    if (problem_.grid.column_major) all["pmap"] = "column-major";
    return all;
  }
  [[nodiscard]] nlohmann::json variant() const override {
    nlohmann::json all = to_json(variant_);
    all["backend"] = site_.backend;
    return all;
  }
  [[nodiscard]] nlohmann::json result() override {
    nlohmann::json found = {
        {"residual", residual_}, {"blas", matrix_.kernels().library()}, {"curve", curve_}};
    if (variant_.panel == "cusolver") found["cusolver"] = factorization_->panel_library();
    if (split_ != nullptr) found["device_share"] = split_->device_share();
    return found;
  }
  [[nodiscard]] std::string title() const override {
    return fmt::format("hpl N {}, NB {}, {} rank{} ({}), {}, overlap {}{}{}{}", problem_.size,
                       problem_.block, site_.session.size(), site_.session.size() == 1 ? "" : "s",
                       problem_.grid.name(), place(), on_or_off(variant_.look_ahead),
                       problem_.grid.columns > 1 ? ", " + variant_.bcast : "",
                       problem_.grid.rows > 1 ? ", " + variant_.swap : "",
                       memory().is_host() ? "" : ", panel " + variant_.panel);
  }
  [[nodiscard]] StepWork work() const override { return hpl_work(problem_.size); }
  [[nodiscard]] double held_bytes() const override {
    return hpl_bytes(problem_) * problem_.ranks();
  }
  [[nodiscard]] Protocol protocol() const override {
    return {.fewest_samples = 1, .most_samples = 1, .warm_ups = 0, .renew_each_step = true};
  }

  /// Of the BLAS and of the panels that the host factors.
  [[nodiscard]] int library_threads() const override {
    return variant_.panel_on_device() ? 1 : variant_.threads;
  }

  void restart() override {
    if (grid_.has_me()) matrix_.fill();
  }
  void step(PhaseClock& clock) override {
    if (!grid_.has_me()) return;
    curve_.clear();
    for (const char* term : terms_in_order()) clock.add(term, 0);
    if (report_) report_(0, "first panel");
    const double begin = MPI_Wtime();
    factorization_->run(clock, timer_,
                        [&](long columns) { note_progress(columns, MPI_Wtime() - begin); });
    x_ = back_substitution(grid_, matrix_, clock);
  }
  void report_to(Report report) override { report_ = std::move(report); }
  void finish(PhaseClock& clock) override { timer_.collect(clock); }
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override {
    std::vector<std::string> notes;
    std::optional<HplCosts> costs;
    if (machine != nullptr && split_ == nullptr)
      costs = hpl_costs(*machine, site_.session.most_ranks_on_a_node(), Bound::value, notes);
    return std::make_unique<HplProbe>(site_.session, factorization_.get(),
                                      costs ? &*costs : nullptr);
  }

  /// Of the solution, which is all that a factorization is for.
  [[nodiscard]] std::uint64_t fingerprint() override {
    return from_first_rank(site_.session.world(), checksum(x_.data(), x_.size() * sizeof(double)));
  }
  [[nodiscard]] Verification verify() override {
    std::array<double, 2> found{0, -1};
    if (grid_.has_me()) {
      found[0] = scaled_residual(grid_, matrix_, x_);
      found[1] = static_cast<double>(factorization_->column_without_pivot());
    }
    // To the ranks that have no part in it. A residual that is no number must stay one.
    found = from_first_rank(site_.session.world(), found);
    residual_ = found[0];
    // HPL's own bound is 16. Rounding leaves much less, as errors of either sign add up: of random
    // matrices at most 1.3 / sqrt(N) (of 4000 for each N below 20), and 0.2 / sqrt(N) from 600 on.
    const double threshold = 2 / std::sqrt(static_cast<double>(problem_.size));
    if (found[1] >= 0)
      return {false, fmt::format("column {:.0f} has no pivot: the matrix is singular", found[1]),
              std::numeric_limits<double>::infinity(), threshold};
    return judged("scaled residual", residual_, threshold);
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override {
    const int ranks_per_node = site_.session.most_ranks_on_a_node();
    if (split_ != nullptr) return {};  // no form has both P x Q and the split
    if (variant_.panel == "cusolver") return {};
    HplProblem problem = problem_;
    problem.panel = variant_.panel;
    return {predict_hpl_paper(machine, problem, ranks_per_node),
            predict_hpl_refined(machine, problem, ranks_per_node, variant_.look_ahead)};
  }

 private:
  /// With who factors panels, where the matrix lies in a device's memory.
  static HplVariant with_panel(const CaseSite& site, const HplProblem& problem,
                               HplVariant variant) {
    const bool on_host = variant.is_split() || site.device.is_host();
    const std::string chosen = panel_chosen(variant.panel, on_host, problem.grid.rows);
    if (!on_host) variant.panel = chosen;
    return variant;
  }
  void make_factorization() {
    try {
      if (grid_.has_me())
        factorization_ = std::make_unique<LuFactorization>(grid_, matrix_, variant_);
    } catch (const std::runtime_error& error) {
      throw BadEnvironment(error.what());
    }
  }
  [[nodiscard]] std::string place() const {
    if (split_ == nullptr) return site_.device.description();
    return fmt::format("{}, {:.3g} of the update on {}", host_->description(),
                       split_->device_share(), site_.device.description());
  }
  /// The device in whose memory the matrix lies.
  [[nodiscard]] Device& memory() const { return host_ != nullptr ? *host_ : site_.device; }
  /// The session, once it is known that it has the memory.
  [[nodiscard]] const Session& enough_memory() const {
    const bool takes_part = site_.session.rank() < problem_.ranks();
    require_device_memory(site_.session, memory(),
                          takes_part ? rank_bytes(problem_, !memory().is_host()) : 0,
                          "the matrix and its buffers");
    return site_.session;
  }
  [[nodiscard]] LocalMatrix made_matrix() {
    if (host_ == nullptr) return {grid_, site_.device, problem_.size, problem_.block};
    auto kernels =
        std::make_unique<SplitHpl>(*host_, site_.device, split_of(site_, problem_, variant_));
    split_ = kernels.get();
    return {grid_, *host_, problem_.size, problem_.block, site_.device, std::move(kernels)};
  }
  void prepare() {
    try {
      matrix_.kernels().prepare(matrix_.stream());
    } catch (const std::runtime_error& error) {
      throw BadEnvironment(error.what());
    }
  }

  /// The same for every rank, whichever comes to a panel first.
  [[nodiscard]] std::vector<const char*> terms_in_order() const {
    std::vector<const char*> terms{"compute.panel"};
    const auto add = [&](bool occurs, std::initializer_list<const char*> more) {
      if (occurs) terms.insert(terms.end(), more);
    };
    const bool is_host = memory().is_host();
    const bool copies = !is_host && (!variant_.panel_on_device() || grid_.columns() > 1);
    add(copies, {"copy.to_host"});
    add(grid_.rows() > 1, {"network.pivot"});
    add(grid_.columns() > 1, {"wait", "network.broadcast"});
    add(copies, {"copy.to_device"});
    add(true, {"swap"});
    add(grid_.rows() > 1, {"network.swap"});
    add(is_host || grid_.rows() == 1, {"compute.trsm"});  // else beside compute.gemm
    add(true, {"compute.gemm", "compute.solve"});
    add(problem_.ranks() > 1, {"network.solve"});
    return terms;
  }
  /// After each panel, of which some 50 make the curve.
  void note_progress(long columns, double seconds) {
    if (report_) {
      const auto size = static_cast<double>(problem_.size);
      const double flops = hpl_flops_done(size, static_cast<double>(columns));
      report_(flops / hpl_flops(size), fmt::format("column {} of {}, {:.4g} Gflop/s", columns,
                                                   problem_.size, flops / seconds * 1e-9));
    }
    constexpr long points = 50;
    const auto point = [&](long of_columns) { return of_columns * points / problem_.size; };
    if (point(columns) > (curve_.empty() ? 0 : point(curve_.back().first)))
      curve_.push_back({columns, seconds});
  }

  const CaseSite site_;
  HplProblem problem_;
  HplVariant variant_;
  std::unique_ptr<Device> host_;  ///< where the products are split; else null
  SplitHpl* split_ = nullptr;     ///< the matrix' kernels then
  HplGrid grid_;
  StreamTimer timer_;
  LocalMatrix matrix_;
  std::unique_ptr<LuFactorization> factorization_;
  std::vector<double> x_;
  std::vector<std::pair<long, double>> curve_;
  Report report_;
  double residual_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Case> make_hpl_case(const CaseSite& site, const HplProblem& problem,
                                    const HplVariant& variant) {
  return std::make_unique<HplCase>(site, problem, variant);
}

}  // namespace bellwether
