// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/amg_lines.hpp"
#include "miniapps/amg/amg_options.hpp"
#include "miniapps/amg/matrices/matrix_file.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/file_contents.hpp"
#include "models/amg/amg_curve.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {
namespace {

class AmgApp final : public App, public ProblemFiles {
 public:
  [[nodiscard]] const char* name() const override { return "amg"; }
  [[nodiscard]] const char* example_options() const override { return "--cells 100 100 100"; }
  [[nodiscard]] std::string summary() const override {
    if (!runs_)
      return "Algebraic multigrid, one solve cycle: 3-D 7-point Laplacian, V-cycle, one smoothing "
             "step on each side. Counted per cycle: unknowns of the finest level. --ranks counts "
             "hardware threads, --ranks-per-node those of a node: as ranks of one thread each, MPI "
             "only. --mix puts the same hardware to use as fewer ranks of several threads";
    return "Algebraic multigrid: hypre's BoomerAMG, cycle by cycle, on a stencil's matrix or one "
           "of "
           "your own. Counted per cycle (pcg: iteration): unknowns of the finest level. Overlap "
           "off waits for each "
           "exchange before it computes; on is hypre's way";
  }
  void add_problem_options(Options&) override {}  // a run and a prediction take other lists
  void add_prediction_options(Options& options) override { prediction_.add_to(options); }
  void add_run_options(Options& options) override {
    runs_ = true;
    asked_.add_to(options);
    given_ = &options;
  }
  void choose_for(const Device& device) override {
    if (!device.is_host()) asked_.choose_for_gpu(*given_);
  }
  void check() const override { runs_ ? asked_.check() : prediction_.check(); }
  [[nodiscard]] std::vector<CasePlan> cases() const override { return amg_plans(asked_); }
  [[nodiscard]] std::map<std::string, std::vector<std::string>> problem_files() const override {
    if (asked_.matrix.empty()) return {};
    return {{"matrix", files_of_matrix(asked_.matrix)}};
  }
  [[nodiscard]] std::string lines_of(const Record& record) const override {
    return amg_overlap_line(record) + amg_hierarchy_lines(record, asked_.details) +
           (asked_.details ? amg_level_lines(record) + amg_prediction_lines(record) : "") +
           amg_solve_lines(record);
  }
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<AmgApp>(*this);
    if (runs_)
      all->asked_.cells = cells_of_all(asked_.cells, ranks);
    else
      all->prediction_.grow(ranks);
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return amg_curve(machine, AmgFamily(prediction_.hierarchies()), prediction_.study(machine),
                     request);
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    return amg_trace(machine, AmgFamily(prediction_.hierarchies()), prediction_.study(machine),
                     request);
  }
  [[nodiscard]] StepWork work() const override {
    StepWork work;
    work.units = prediction_.unknowns();
    work.unit = "unknowns/s";
    return work;
  }
  /// As far as the options are known: before they are, that of a cycle.
  [[nodiscard]] const char* step_name() const override {
    return (runs_ ? asked_.solver : prediction_.solver()) == "pcg" ? "iteration" : "solve cycle";
  }

 private:
  AmgPredictionOptions prediction_;
  AmgOptions asked_;
  const Options* given_ = nullptr;  ///< since add_run_options
  bool runs_ = false;
};

}  // namespace

std::unique_ptr<App> make_amg_app() { return std::make_unique<AmgApp>(); }

}  // namespace bellwether
