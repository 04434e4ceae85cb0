// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "miniapps/amg/amg_result.hpp"
#include "miniapps/amg/amg_solver.hpp"
#include "miniapps/amg/operation_probe.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/driver/options.hpp"
#include "models/amg/amg_run.hpp"
#include "models/amg/amg_run_cycle.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// Terms of the groups that amg_group names.
struct GroupTerms {
  const char *group, *compute, *network;
};
constexpr std::array<GroupTerms, 4> group_terms{
    {{"finest", "compute.finest", "network.finest"},
     {"next", "compute.next", "network.next"},
     {"middle", "compute.middle", "network.middle"},
     {"coarsest", "compute.coarsest", "network.coarsest"}}};

/// How often over the finest level's entries are there at once during setup, each a value and a
/// column: measured on 7 and 27 points with all coarsenings, rounded up.
double hierarchy_factor(const AmgOptions& options) {
  if (options.pmax == 0) return 14;
  return options.aggressive_levels > 0 ? 3 : 5;
}

/// Null for a host.
Device* gpu_of(const CaseSite& site) { return site.device.is_host() ? nullptr : &site.device; }

/// The session, once it is known that hypre can work there and has the memory.
const Session& enough_room(const CaseSite& site, const AmgOptions& options, bool overlap,
                           const AmgSource& matrix) {
  if (const Device* const gpu = gpu_of(site)) {
    HypreLibrary::check_gpu(gpu->description());
    if (const std::string missing = missing_on_gpu(options, overlap); !missing.empty())
      throw BadInput(
          fmt::format("--backend {}: hypre computes on a GPU without {}", site.backend, missing));
  }
  constexpr double vectors = 12;
  const auto rows = static_cast<double>(matrix.rows->end() - matrix.rows->begin());
  const double bytes = hierarchy_factor(options) * 12 * matrix.own_entries + vectors * 8 * rows;
  require_device_memory(site.session, site.device, static_cast<std::size_t>(bytes),
                        "the matrix, its hierarchy and vectors");
  return site.session;
}

class AmgCase final : public Case, public WatchedCase, public CommunicatingCase, public ProbedCase {
 public:
  AmgCase(const CaseSite& site, const AmgOptions& options, bool overlap, AmgSource matrix)
      : site_(site),
        options_(options),
        overlap_(overlap),
        source_(std::move(matrix)),
        session_(enough_room(site, options, overlap, source_)),
        solver_(session_, *source_.rows, options, overlap, gpu_of(site)) {}

  [[nodiscard]] nlohmann::json problem() const override {
    nlohmann::json all = amg_problem(options_);
    all["rows"] = source_.rows->rows();
    return all;
  }
  [[nodiscard]] nlohmann::json variant() const override {
    nlohmann::json all = amg_variant(options_, overlap_);
    all["backend"] = site_.backend;
    all["threads"] = solver_.threads();
    if (const std::string halo = hypre_halo(); !halo.empty()) all["halo"] = halo;
    return all;
  }
  [[nodiscard]] std::string title() const override {
    return fmt::format("amg {}, {} rank{} ({}), hypre {}, {}, {}, overlap {}", source_.name,
                       session_.size(), session_.size() == 1 ? "" : "s", source_.layout,
                       HypreLibrary::version(), options_.relax, options_.solver,
                       on_or_off(overlap_));
  }
  [[nodiscard]] StepWork work() const override;
  [[nodiscard]] double held_bytes() const override;
  [[nodiscard]] nlohmann::json result() override;

  [[nodiscard]] int library_threads() const override { return solver_.threads(); }
  void setup(PhaseClock& clock) override {
    solver_.setup(clock);
    const std::size_t levels = hierarchy().levels.size();
    for (std::size_t l = 0; l < levels; ++l)
      for (const GroupTerms& terms : group_terms)
        if (amg_group(l, levels) == terms.group) terms_.push_back(&terms);
  }
  void restart() override {
    level_samples_.clear();
    solver_.begin_at_zero();
  }
  void step(PhaseClock& clock) override;
  void finish(PhaseClock&) override { level_samples_.finish_sample(); }
  [[nodiscard]] std::uint64_t fingerprint() override { return solver_.fingerprint(); }
  [[nodiscard]] Verification verify() override;
  [[nodiscard]] std::optional<Verification> broken() override;
  [[nodiscard]] std::optional<double> bare_communication() override {
    if (session_.size() == 1) return {};
    return solver_.bare_communication();
  }
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override;
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override;

 private:
  [[nodiscard]] const AmgHierarchy& hierarchy() const { return solver_.hierarchy(); }
  /// "after 21 cycles"
  [[nodiscard]] std::string after(std::size_t steps) const {
    return fmt::format("after {} {}", steps, options_.solver == "pcg" ? "iterations" : "cycles");
  }
  void check_solve();
  [[nodiscard]] AmgPlacement placement() const;
  [[nodiscard]] AmgVariant model_variant() const {
    return {.relax = options_.relax, .sweeps = options_.sweeps, .solver = options_.solver};
  }

  const CaseSite site_;
  AmgOptions options_;
  bool overlap_;
  AmgSource source_;
  const Session& session_;
  AmgSolver solver_;
  std::vector<const GroupTerms*> terms_;  ///< of each level
  LevelSamples level_samples_;
  AmgSolve solve_;                    ///< since the first verify(), before that without residuals
  std::vector<Verification> checks_;  ///< of it
};

void AmgCase::step(PhaseClock& clock) {
  clock.enter("cycle");
  solver_.advance();
  level_samples_.add(solver_.cycle_seconds());
  // Alone there are no messages: what MPI copies for the coarsest level is work.
  const bool is_alone = session_.size() == 1;
  const auto add = [&](const char* compute, double compute_s, const char* network,
                       double network_s) {
    clock.add(compute, is_alone ? compute_s + network_s : compute_s);
    if (!is_alone) clock.add(network, network_s);
  };
  for (std::size_t l = 0; l < terms_.size(); ++l)
    for (const AmgSeconds& one : solver_.cycle_seconds()[l])
      add(terms_[l]->compute, one.compute, terms_[l]->network, one.network);
  const PcgSeconds* const krylov = solver_.pcg_seconds();
  if (krylov == nullptr) return;
  add("compute.krylov", krylov->compute, terms_.front()->network, krylov->network);
  add("compute.krylov", 0, "reduce", krylov->reduce);
}

/// The first steps against hypre's own, and a solve to the tolerance.
void AmgCase::check_solve() {
  const AmgDifference difference = solver_.difference_from_hypres();
  solve_ = solver_.solve(options_.tolerance, site_.heartbeat);
  const std::string residual = "relative residual " + after(solve_.residuals.size() - 1);
  if (!solve_.failure.empty()) {
    checks_ = {{false, fmt::format("the solve {}: {}", solve_.failure, residual),
                solve_.residuals.back(), options_.tolerance}};
    return;
  }
  checks_ = {judged(residual, solver_.residual(), options_.tolerance)};
  if (source_.least_eigenvalue > 0 && solve_.error)
    checks_.push_back(judged("error of the solution", *solve_.error,
                             options_.tolerance * solver_.right_hand_side_norm() /
                                 (source_.least_eigenvalue * solver_.solution_norm())));
  // Last: of what passes, one that allows nothing is no nearer to failing than any other.
  checks_.push_back(beside_hypres_solve(difference, gpu_of(site_) != nullptr));
}

Verification AmgCase::verify() {
  const double now = solver_.residual();
  const auto steps = static_cast<std::size_t>(solver_.steps());
  if (checks_.empty()) check_solve();
  std::vector<Verification> all = checks_;
  const std::vector<double>& then = solve_.residuals;
  // The steps that were timed went the same way; a residual near rounding is no measure of that.
  if (steps < then.size())
    all.push_back(judged("relative residual " + after(steps) + ", beside the solve's",
                         std::abs(now - then[steps]) / (then[steps] + 1e-7), 1e-6));
  else if (solve_.failure.empty())
    all.push_back(judged("relative residual " + after(steps), now, options_.tolerance));
  all.push_back(judged("ranks whose right-hand side changed", solver_.ranks_with_another_b(), 0));
  return worst_of(all);
}

std::optional<Verification> AmgCase::broken() {
  const double size = solver_.size();
  constexpr double most = 1e6;
  if (size <= most) return {};
  return Verification{
      false,
      "the solve diverges: size of the iterate " + after(static_cast<std::size_t>(solver_.steps())),
      size, most};
}

AmgPlacement AmgCase::placement() const {
  return {.nodes = session_.nodes(),
          .processes = session_.size(),
          .ranks_per_node = session_.most_ranks_on_a_node(),
          .threads_per_rank = solver_.threads()};
}

std::vector<Prediction> AmgCase::predict(const Machine& machine) const {
  return predict_amg_run(machine, hierarchy(), placement(), model_variant(), overlap_);
}

std::unique_ptr<Probe> AmgCase::make_probe(const Machine* machine) {
  constexpr double most_rows = 1'000'000;  // what the quickest calibration has measured
  const std::vector<AmgLevel>& levels = hierarchy().levels;
  const AmgOperator& finest = levels.front().solve;
  ProbedOperations run;
  run.shape.rows = static_cast<int>(std::clamp(finest.busiest_rows, 100., most_rows));
  run.shape.entries_per_row = static_cast<int>(std::lround(std::max(1., finest.nonzeros_per_row)));
  run.relax = options_.relax;
  for (std::size_t l = 0; l < levels.size(); ++l)
    run.others_bytes += (l > 0 ? amg_part(levels[l].solve, levels[l]).bytes() : 0) +
                        amg_part(levels[l].interpolation, levels[l]).bytes();
  run.cycle = [this] { solver_.run_cycle_aside(); };
  return make_operation_probe(session_, std::move(run), machine, site_.device);
}

/// Compulsory traffic of a product: 12 bytes an entry and 20 a row.
double product_bytes(const AmgOperator& one, double rows) {
  return 12 * one.total_nonzeros + 20 * rows;
}

/// Relaxations are counted as products.
StepWork AmgCase::work() const {
  StepWork work;
  work.units = static_cast<double>(source_.rows->rows());
  work.unit = "unknowns/s";
  for (std::size_t l = 0; l + 1 < hierarchy().levels.size(); ++l) {
    const AmgLevel& level = hierarchy().levels[l];
    work.bytes += (2 * options_.sweeps + 1) * product_bytes(level.solve, level.unknowns) +
                  2 * product_bytes(level.interpolation, level.unknowns);
  }
  if (options_.solver == "pcg")
    work.bytes += product_bytes(hierarchy().levels.front().solve, work.units);
  return work;
}

double AmgCase::held_bytes() const {
  double bytes = 0;
  for (const AmgLevel& level : hierarchy().levels)
    bytes += product_bytes(level.solve, level.unknowns);
  return bytes;
}

nlohmann::json AmgCase::result() {
  nlohmann::json found = hierarchy_result(hierarchy());
  found["hypre"] = HypreLibrary::version();
  found["layout"] = source_.layout;
  found["levels"] = level_samples_.levels(session_.world());
  if (site_.machine != nullptr && amg_kernels(*site_.machine) != nullptr)
    found["levels_predicted"] = predicted_levels(
        amg_run_levels(amg_step(*site_.machine, hierarchy(), placement(), model_variant()),
                       hierarchy().levels.size(), overlap_));
  if (!solve_.residuals.empty()) found.update(solve_result(solve_, hierarchy(), solver_.setup_s()));
  return found;
}

}  // namespace

std::unique_ptr<Case> make_amg_case(const CaseSite& site, const AmgOptions& options, bool overlap,
                                    AmgSource matrix) {
  return std::make_unique<AmgCase>(site, options, overlap, std::move(matrix));
}

}  // namespace bellwether
