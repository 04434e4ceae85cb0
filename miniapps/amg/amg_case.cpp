// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "miniapps/amg/amg_pcg.hpp"
#include "miniapps/amg/amg_product.hpp"
#include "miniapps/amg/hypre_cycle.hpp"
#include "miniapps/amg/hypre_solver.hpp"
#include "miniapps/amg/matrix_file.hpp"
#include "miniapps/amg/operation_probe.hpp"
#include "miniapps/amg/stencil_rows.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/variant_options.hpp"
#include "miniapps/driver/verification_checks.hpp"
#include "models/amg/amg_run.hpp"

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

nlohmann::json problem_of(const AmgOptions& options) {
  if (!options.matrix.empty()) return {{"matrix", options.matrix}};
  return {{"problem", options.problem},
          {"stencil", options.stencil},
          {"cells", options.cells},
          {"scaling", options.scaling}};
}

nlohmann::json variant_of(const AmgOptions& options, bool overlap) {
  nlohmann::json all = {{"overlap", on_or_off(overlap)},
                        {"coarsening", options.coarsening},
                        {"interpolation", options.interpolation},
                        {"pmax", options.pmax},
                        {"aggressive_levels", options.aggressive_levels},
                        {"relax", options.relax},
                        {"sweeps", options.sweeps},
                        {"solver", options.solver},
                        {"tolerance", options.tolerance}};
  if (options.threads > 0) all["threads"] = options.threads;
  return all;
}

/// Entries of this rank.
double own_entries(const AmgRows& rows) {
  std::vector<long long> columns;
  std::vector<double> values;
  double entries = 0;
  for (long long i = rows.begin(); i < rows.end(); ++i) entries += rows.row(i, columns, values);
  return entries;
}

/// `read`: the matrix of a file, as soon as it was read.
AmgSource matrix_of(const CaseSite& site, const AmgOptions& options,
                    std::shared_ptr<const AmgRows>& read) {
  if (options.matrix.empty())
    return stencil_matrix(options, site.session.rank(), site.session.size());
  if (!read)
    read = read_matrix(site.session, options.matrix, std::numeric_limits<HYPRE_BigInt>::max(),
                       site.heartbeat);
  return {read, options.matrix, "rows", own_entries(*read)};
}

/// Between 0 and 1, the same for a row on any number of ranks.
double pseudorandom(long long row) {
  auto z = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

std::vector<double> known_solution(const AmgRows& rows) {
  std::vector<double> x;
  for (long long i = rows.begin(); i < rows.end(); ++i) x.push_back(pseudorandom(i));
  return x;
}

/// How often over the finest level's entries are there at once while hypre makes the hierarchy,
/// each a value and a column: measured on 7 and 27 points with all coarsenings, and rounded up.
/// Whole rows of the interpolation fill coarse levels.
double hierarchy_factor(const AmgOptions& options) {
  if (options.pmax == 0) return 14;
  return options.aggressive_levels > 0 ? 3 : 5;
}

/// The session, once it is known that hypre can work there and has the memory.
const Session& enough_room(const CaseSite& site, const AmgOptions& options,
                           const AmgSource& matrix) {
  if (!site.device.is_host())
    throw BadEnvironment(fmt::format(
        "--backend {}: hypre runs on the host here, not on {}; expected a backend of the host",
        site.backend, site.device.description()));
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
        session_(enough_room(site, options, source_)),
        library_(options.threads),
        product_(session_.world(), *source_.rows),
        solution_(known_solution(*source_.rows)),
        b_(session_.world(), *source_.rows),
        x_(session_.world(), *source_.rows),
        scratch_(session_.world(), *source_.rows),
        amg_(options) {
    const std::vector<double> right_hand_side = product_(solution_);
    std::copy(right_hand_side.begin(), right_hand_side.end(), b_.values().begin());
    b_norm_ = product_.norm(b_.values());
    solution_norm_ = product_.norm(solution_);
  }

  [[nodiscard]] nlohmann::json problem() const override {
    nlohmann::json all = problem_of(options_);
    all["rows"] = source_.rows->rows();
    return all;
  }
  [[nodiscard]] nlohmann::json variant() const override {
    nlohmann::json all = variant_of(options_, overlap_);
    all["backend"] = site_.backend;
    all["threads"] = library_.threads();
    return all;
  }
  [[nodiscard]] std::string title() const override {
    return fmt::format("amg {}, {} rank{} ({}), hypre {}, {}, {}, overlap {}", source_.name,
                       session_.size(), session_.size() == 1 ? "" : "s", source_.layout,
                       HypreLibrary::version(), options_.relax, options_.solver,
                       on_or_off(overlap_));
  }
  [[nodiscard]] StepWork work() const override;
  [[nodiscard]] nlohmann::json result() override;

  void setup(PhaseClock& clock) override;
  void restart() override;
  void step(PhaseClock& clock) override;
  void finish(PhaseClock&) override { level_sums_.finish_sample(); }
  [[nodiscard]] Verification verify() override;
  [[nodiscard]] std::optional<Verification> broken() override;
  [[nodiscard]] std::optional<double> bare_communication() override;
  [[nodiscard]] std::vector<Prediction> predict(const Machine& machine) const override;
  [[nodiscard]] std::unique_ptr<Probe> make_probe(const Machine* machine) override;

 private:
  /// Each level's and operation's seconds in the samples since the restart.
  class LevelSums {
   public:
    void add(const AmgLevelSeconds& cycle);
    void finish_sample();
    void clear() { *this = {}; }
    /// Medians over the samples, compute and network of each operation of each level.
    [[nodiscard]] std::vector<double> medians() const;

   private:
    long cycles_ = 0;
    std::vector<double> sums_;
    std::vector<std::vector<double>> samples_;
  };

  [[nodiscard]] bool uses_pcg() const { return options_.solver == "pcg"; }
  [[nodiscard]] const char* step_word() const { return uses_pcg() ? "iterations" : "cycles"; }
  void begin_at_zero();
  /// One step from where x_ is; what it took is in cycle_ and pcg_.
  void advance();
  [[nodiscard]] double residual_by_hypre();
  [[nodiscard]] double residual() { return product_.residual(b_.values(), x_.values()) / b_norm_; }
  void solve_to_tolerance();
  [[nodiscard]] double differing_values();

  const CaseSite site_;
  AmgOptions options_;
  bool overlap_;
  AmgSource source_;
  const Session& session_;
  HypreLibrary library_;
  AmgHierarchy hierarchy_;  ///< no levels before setup()
  AmgProduct product_;
  std::vector<double> solution_;
  HypreVector b_, x_, scratch_;
  HypreAmg amg_;
  double b_norm_ = 0, solution_norm_ = 0;
  std::optional<HypreMatrix> matrix_;  // from here on since setup()
  std::optional<HypreCycle> cycle_;
  std::optional<AmgPcg> pcg_;
  std::vector<const GroupTerms*> terms_;  ///< of each level
  double setup_s_ = 0;                    ///< of the slowest rank

  long steps_ = 0;  ///< since the restart
  LevelSums level_sums_;
  std::vector<double>
      residuals_;  ///< after so many steps, to the tolerance; since the first verify
  double solve_s_ = 0;
  double error_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<Verification> solved_;
};

void AmgCase::LevelSums::add(const AmgLevelSeconds& cycle) {
  sums_.resize(cycle.size() * cycle_operation_names.size() * 2);
  std::size_t at = 0;
  for (const auto& level : cycle)
    for (const AmgSeconds& one : level) {
      sums_[at++] += one.compute;
      sums_[at++] += one.network;
    }
  ++cycles_;
}

void AmgCase::LevelSums::finish_sample() {
  if (cycles_ == 0) return;
  for (double& sum : sums_) sum /= static_cast<double>(cycles_);
  samples_.push_back(std::move(sums_));
  sums_.clear();
  cycles_ = 0;
}

std::vector<double> AmgCase::LevelSums::medians() const {
  std::vector<double> all;
  if (samples_.empty()) return all;
  for (std::size_t i = 0; i < samples_.front().size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& sample : samples_) values.push_back(sample[i]);
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    all.push_back(values[values.size() / 2]);
  }
  return all;
}

void AmgCase::setup(PhaseClock& clock) {
  clock.time("assembly", [&] { matrix_.emplace(session_.world(), *source_.rows); });
  const double assembled = MPI_Wtime();
  clock.enter("setup");
  const HypreSetupTimes times = amg_.setup(*matrix_, b_, x_);
  setup_s_ = largest(session_.world(), {MPI_Wtime() - assembled}).front();
  clock.add("coarsening", times.coarsening);
  clock.add("interpolation", times.interpolation);
  clock.add("product", times.product);
  clock.enter("hierarchy");
  hierarchy_ = amg_.hierarchy(session_);
  for (std::size_t l = 0; l < hierarchy_.levels.size(); ++l)
    for (const GroupTerms& terms : group_terms)
      if (amg_group(l, hierarchy_.levels.size()) == terms.group) terms_.push_back(&terms);
  cycle_.emplace(amg_.get(), overlap_);
  if (uses_pcg()) pcg_.emplace(session_.world(), *source_.rows, *matrix_, *cycle_, overlap_);
  restart();
}

void AmgCase::restart() {
  level_sums_.clear();
  begin_at_zero();
}

void AmgCase::begin_at_zero() {
  std::fill(x_.values().begin(), x_.values().end(), 0.);
  steps_ = 0;
  if (pcg_) pcg_->start(b_, x_);
}

void AmgCase::advance() {
  if (pcg_)
    pcg_->iterate(x_);
  else
    cycle_->run(b_.get(), x_.get());
  ++steps_;
}

void AmgCase::step(PhaseClock& clock) {
  clock.enter("cycle");
  // Iterations beyond convergence lead to numbers too small to compute with, and to 0 / 0.
  constexpr double smallest = 1e-100;
  if (pcg_ && pcg_->residual() < smallest * b_norm_) begin_at_zero();
  advance();
  level_sums_.add(cycle_->seconds());
  // Alone there are no messages: what MPI copies for the coarsest level is work.
  const bool is_alone = session_.size() == 1;
  const auto add = [&](const char* compute, double compute_s, const char* network,
                       double network_s) {
    clock.add(compute, is_alone ? compute_s + network_s : compute_s);
    if (!is_alone) clock.add(network, network_s);
  };
  for (std::size_t l = 0; l < terms_.size(); ++l)
    for (const AmgSeconds& one : cycle_->seconds()[l])
      add(terms_[l]->compute, one.compute, terms_[l]->network, one.network);
  if (!pcg_) return;
  const PcgSeconds& krylov = pcg_->seconds();
  add("compute.krylov", krylov.compute, terms_.front()->network, krylov.network);
  add("compute.krylov", 0, "reduce", krylov.reduce);
}

double AmgCase::residual_by_hypre() {
  if (pcg_) return pcg_->residual() / b_norm_;
  check_hypre("HYPRE_ParVectorCopy", HYPRE_ParVectorCopy(b_.get(), scratch_.get()));
  check_hypre("HYPRE_ParCSRMatrixMatvec",
              HYPRE_ParCSRMatrixMatvec(-1, matrix_->get(), x_.get(), 1, scratch_.get()));
  return product_.norm(scratch_.values()) / b_norm_;
}

/// From zero on; what the residual was on the way, by hypre's product, and how long the steps took.
void AmgCase::solve_to_tolerance() {
  constexpr long most_steps = 10000, patience = 20;
  restart();
  residuals_ = {1};
  double solve_s = 0;
  const auto found = [&] { return residuals_.back(); };
  const auto fails = [&](const char* how) {
    solved_ = {
        {false,
         fmt::format("the solve {}: relative residual after {} {}", how, steps_, step_word()),
         found(), options_.tolerance}};
  };
  while (found() >= options_.tolerance) {
    if (site_.heartbeat != nullptr) site_.heartbeat->enter("solve");
    const double begin = MPI_Wtime();
    advance();
    solve_s += MPI_Wtime() - begin;
    residuals_.push_back(residual_by_hypre());
    if (!(found() < 1e6)) return fails("diverges");
    const bool is_late = steps_ >= patience;
    if (is_late && found() > 0.9 * residuals_[static_cast<std::size_t>(steps_ - patience)])
      return fails("stalls");
    if (steps_ >= most_steps) return fails("is too slow");
  }
  solve_s_ = largest(session_.world(), {solve_s}).front();
  solved_ = {judged(fmt::format("relative residual after {} {}", steps_, step_word()), residual(),
                    options_.tolerance)};
  std::vector<double> error(x_.values().begin(), x_.values().end());
  for (std::size_t i = 0; i < error.size(); ++i) error[i] -= solution_[i];
  error_ = product_.norm(error) / solution_norm_;
  if (source_.least_eigenvalue > 0)
    solved_.push_back(
        judged("error of the solution", error_,
               options_.tolerance * b_norm_ / (source_.least_eigenvalue * solution_norm_)));
}

/// Of the first steps, this case's and hypre's own.
double AmgCase::differing_values() {
  constexpr int steps = 2;
  restart();
  for (int s = 0; s < steps; ++s) advance();
  std::fill(scratch_.values().begin(), scratch_.values().end(), 0.);
  if (pcg_)
    amg_.solve_with_pcg(session_.world(), *matrix_, b_, scratch_, steps);
  else
    amg_.solve(*matrix_, b_, scratch_, steps);
  double differ = 0, all = 0;
  for (std::size_t i = 0; i < x_.values().size(); ++i)
    if (std::memcmp(&x_.values()[i], &scratch_.values()[i], sizeof(double)) != 0) ++differ;
  MPI_Allreduce(&differ, &all, 1, MPI_DOUBLE, MPI_SUM, session_.world());
  return all;
}

Verification AmgCase::verify() {
  const double now = residual();
  const auto steps = static_cast<std::size_t>(steps_);
  if (residuals_.empty()) {
    const double differ = differing_values();
    solve_to_tolerance();
    solved_.push_back(judged("values that differ from those of hypre's own solve", differ, 0));
  }
  std::vector<Verification> all = solved_;
  // The steps that were timed went the same way; a residual near rounding is no measure of that.
  if (steps < residuals_.size())
    all.push_back(
        judged(fmt::format("relative residual after {} {}, beside the solve's", steps, step_word()),
               std::abs(now - residuals_[steps]) / (residuals_[steps] + 1e-7), 1e-6));
  else if (std::isfinite(residuals_.back()))
    all.push_back(judged(fmt::format("relative residual after more {}", step_word()), now,
                         std::max(options_.tolerance, residuals_.back())));
  return worst_of(all);
}

std::optional<Verification> AmgCase::broken() {
  const double growth = product_.norm(x_.values()) / solution_norm_;
  constexpr double most = 1e6;
  if (growth <= most) return {};
  return Verification{
      false,
      fmt::format("the solve diverges: size of the iterate after {} {}", steps_, step_word()),
      growth, most};
}

std::optional<double> AmgCase::bare_communication() {
  if (session_.size() == 1) return {};
  HypreCycle cycle(amg_.get(), false);
  std::optional<AmgPcg> pcg;
  if (pcg_) {
    pcg.emplace(session_.world(), *source_.rows, *matrix_, cycle, false);
    pcg->start(b_, x_);
  }
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    MPI_Barrier(session_.world());
    double network = 0;
    if (pcg) {
      pcg->iterate(x_);
      network += pcg->seconds().network;
    } else {
      cycle.run(b_.get(), x_.get());
    }
    for (const auto& level : cycle.seconds())
      for (const AmgSeconds& one : level) network += one.network;
    seconds.push_back(largest(session_.world(), {network}).front());
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

std::vector<Prediction> AmgCase::predict(const Machine& machine) const {
  const AmgPlacement placement{.nodes = session_.nodes(),
                               .processes = session_.size(),
                               .ranks_per_node = session_.most_ranks_on_a_node(),
                               .threads_per_rank = library_.threads()};
  const AmgVariant variant{
      .relax = options_.relax, .sweeps = options_.sweeps, .solver = options_.solver};
  return predict_amg_run(machine, hierarchy_, placement, variant, overlap_);
}

std::unique_ptr<Probe> AmgCase::make_probe(const Machine* machine) {
  constexpr double most_rows = 400'000;  // some milliseconds, and little memory beside the run's
  const AmgOperator& finest = hierarchy_.levels.front().solve;
  ProbedOperations run;
  run.shape.rows = static_cast<int>(std::clamp(finest.busiest_rows, 100., most_rows));
  run.shape.entries_per_row = static_cast<int>(std::lround(std::max(1., finest.nonzeros_per_row)));
  run.relax = options_.relax;
  run.back_to_caches = [this] { cycle_->run_from_zero(b_.get(), scratch_.get()); };
  return make_operation_probe(session_, std::move(run), machine);
}

/// Compulsory traffic: of each product 12 bytes an entry and 20 a row, relaxations counted as
/// products.
StepWork AmgCase::work() const {
  const auto product = [](const AmgOperator& one, double rows) {
    return 12 * one.total_nonzeros + 20 * rows;
  };
  StepWork work;
  work.units = static_cast<double>(source_.rows->rows());
  work.unit = "unknowns/s";
  for (std::size_t l = 0; l + 1 < hierarchy_.levels.size(); ++l) {
    const AmgLevel& level = hierarchy_.levels[l];
    work.bytes += (2 * options_.sweeps + 1) * product(level.solve, level.unknowns) +
                  2 * product(level.interpolation, level.unknowns);
  }
  if (pcg_) work.bytes += product(hierarchy_.levels.front().solve, work.units);
  return work;
}

nlohmann::json AmgCase::result() {
  double of_a = 0, of_p = 0, unknowns = 0;
  for (const AmgLevel& level : hierarchy_.levels) {
    of_a += level.solve.total_nonzeros;
    of_p += level.interpolation.total_nonzeros;
    unknowns += level.unknowns;
  }
  const AmgLevel& finest = hierarchy_.levels.front();
  nlohmann::json found = {{"hypre", HypreLibrary::version()},
                          {"layout", source_.layout},
                          {"nonzeros", finest.solve.total_nonzeros},
                          {"operator_complexity", of_a / finest.solve.total_nonzeros},
                          {"grid_complexity", unknowns / finest.unknowns},
                          {"hierarchy", to_json({hierarchy_}).at("hierarchies").front()}};
  std::vector<double> mine = level_sums_.medians();
  double total = 0;
  for (const double one : mine) total += one;
  const std::vector<double> slowest = slowest_rank(session_.world(), total, mine).values;
  nlohmann::json levels = nlohmann::json::array();
  for (auto at = slowest.begin(); at != slowest.end();) {
    nlohmann::json level;
    for (const char* operation : cycle_operation_names) {
      const double compute = *at++, network = *at++;
      if (compute + network > 0) level[operation] = {{"compute", compute}, {"network", network}};
    }
    levels.push_back(level);
  }
  found["levels"] = levels;
  if (!residuals_.empty()) {
    const auto cycles = static_cast<double>(residuals_.size() - 1);
    found["cycles"] = residuals_.size() - 1;
    found["residual"] = residuals_.back();
    found["convergence_factor"] = std::pow(residuals_.back(), 1 / cycles);
    found["error"] = error_;
  }
  if (solve_s_ > 0)  // AMG2023's measure: (entries of all A and P) / (setup + 3 solve)
    found["figure_of_merit"] = {{"value", (of_a + of_p) / (setup_s_ + 3 * solve_s_)},
                                {"setup_s", setup_s_},
                                {"solve_s", solve_s_},
                                {"nonzeros", of_a + of_p}};
  return found;
}

}  // namespace

std::unique_ptr<Case> make_amg_case(const CaseSite& site, const AmgOptions& options, bool overlap,
                                    AmgSource matrix) {
  return std::make_unique<AmgCase>(site, options, overlap, std::move(matrix));
}

AmgSource stencil_matrix(const AmgOptions& options, int rank, int ranks) {
  AmgStencil problem{options.problem, options.stencil, options.cells};
  if (options.scaling == "weak") problem.cells = cells_of_all(options.cells, ranks);
  auto rows = std::make_unique<StencilRows>(problem, rank, ranks);
  const std::string name = fmt::format("{} {}-point {}x{}x{}", problem.name, problem.points,
                                       problem.cells[0], problem.cells[1], problem.cells[2]);
  const std::string layout = rows->layout();
  const double entries = problem.points * static_cast<double>(rows->end() - rows->begin());
  return {std::move(rows), name, layout, entries, problem.least_eigenvalue()};
}

std::vector<CasePlan> amg_plans(const AmgOptions& options) {
  std::vector<CasePlan> plans;
  const auto read = std::make_shared<std::shared_ptr<const AmgRows>>();  // once for all cases
  for (const bool overlap : options.overlap.modes())
    plans.push_back({problem_of(options), variant_of(options, overlap),
                     [options, overlap, read](const CaseSite& site) {
                       return make_amg_case(site, options, overlap,
                                            matrix_of(site, options, *read));
                     }});
  return plans;
}

}  // namespace bellwether
