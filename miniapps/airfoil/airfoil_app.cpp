// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/airfoil/airfoil_case.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/file_contents.hpp"
#include "miniapps/driver/options.hpp"
#include "models/airfoil/airfoil_curve.hpp"
#include "models/airfoil/airfoil_loops.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

// 3 I J cells of the largest mesh that --cells takes.
constexpr long long most_edges = 6'000'000'000'000;

class AirfoilApp final : public App, public ProblemFiles {
 public:
  [[nodiscard]] const char* name() const override { return "airfoil"; }
  [[nodiscard]] const char* example_options() const override { return "--cells 400 600"; }
  [[nodiscard]] std::string summary() const override {
    return "2-D inviscid flow round an airfoil, finite volumes on an unstructured mesh, loops over "
           "cells, edges and boundary edges as in OP2. Counted per iteration, of two stages: all "
           "cells, each value and index of a loop moved once";
  }
  void add_problem_options(Options& options) override { problem_.add_options(options); }
  void add_run_options(Options& options) override {
    problem_.add_run_options(options);
    overlap_.add_to(options);
    add_halo_option(options, halo_);
  }
  void add_prediction_options(Options& options) override {
    predicts_ = true;
    add_halo_option(options, halo_);
    options.add("--edges", &edges_,
                "In place of --cells: the mesh of about so many edges with 3 I = 2 J",
                {.type = "N", .check = whole_number(1, most_edges)});
    options.add_choice("--halo-sizes", study_.halo_sizes, {"auto", "counted", "fitted"},
                       fmt::format("counted in a bisection of the mesh, fitted (c sqrt(cells per "
                                   "rank)), or auto: counted up to {} ranks, fitted beyond",
                                   study_.most_counted_ranks));
  }
  void check() const override {
    const bool other = edges_ > 0 || !problem_.file.empty();
    if (problem_.is_generated() == other)
      throw BadInput(fmt::format("--cells, {}: found {}, expected one of them",
                                 predicts_ ? "--edges" : "--mesh", other ? "both" : "neither"));
    validate(problem_);
    if (!predicts_ && problem_.is_generated()) (void)airfoil_mesh_of(problem_.cells);
  }
  /// 3 I J cells: of two factors the larger one is J's.
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<AirfoilApp>(*this);
    int along = static_cast<int>(std::sqrt(ranks));
    while (ranks % along != 0) --along;
    all->problem_.cells[0] *= along;
    all->problem_.cells[1] *= ranks / along;
    all->edges_ *= ranks;
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return airfoil_curve(machine, study_on(machine), request);
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    return airfoil_trace(machine, study_on(machine), request);
  }
  [[nodiscard]] StepWork work() const override {
    const AirfoilMesh all = mesh();
    return airfoil_step_work({all.nodes(), all.cells(), all.edges(), all.boundary_edges()},
                             problem_.precision, asked());
  }
  [[nodiscard]] const char* picture_ending() const override { return ".vtu"; }
  void ask_for_picture(std::string file) override { problem_.picture = std::move(file); }
  [[nodiscard]] std::vector<CasePlan> cases() const override {
    nlohmann::json problem = to_json(problem_);
    problem["loops"] = problem_.loops;
    if (!problem_.increments.empty()) problem["increments"] = problem_.increments;
    std::vector<CasePlan> plans;
    const auto parts = std::make_shared<std::shared_ptr<const AirfoilParts>>();
    for (const bool overlap : overlap_.modes()) {
      const bool is_last = overlap == overlap_.modes().back();
      const auto build = [this, parts, is_last,
                          variant = AirfoilVariant{overlap, halo_}](const CaseSite& site) {
        auto made = make_airfoil_case(site, problem_, variant, *parts);
        if (is_last) parts->reset();
        return made;
      };
      plans.push_back({problem, {{"overlap", on_or_off(overlap)}, {"halo", halo_}}, build});
    }
    return plans;
  }
  [[nodiscard]] std::map<std::string, std::vector<std::string>> problem_files() const override {
    if (problem_.is_generated()) return {};
    return {{"mesh", {problem_.file}}};
  }
  [[nodiscard]] const char* step_name() const override { return "iteration"; }

 private:
  [[nodiscard]] AirfoilMesh mesh() const {
    return problem_.is_generated() ? AirfoilMesh{problem_.cells[0], problem_.cells[1]}
                                   : mesh_with_edges(edges_);
  }

  [[nodiscard]] AirfoilStudy study_on(const Machine& machine) const {
    AirfoilStudy study = study_;
    study.mesh = mesh();
    study.precision = problem_.precision;
    study.sequence = sequence_on(machine);
    study.increments = problem_.increments;
    study.staged = used_halo(halo_, machine.device.kind == "gpu") == "staged";
    return study;
  }
  [[nodiscard]] AirfoilSequence asked() const {
    if (problem_.increments == "gather") return AirfoilSequence::gather;
    if (!problem_.is_fused()) return AirfoilSequence::five;
    return problem_.increments == "plain" ? AirfoilSequence::tiled : AirfoilSequence::fused;
  }
  /// A machine's default, gathers or on one thread of a CPU tiles, where its file knows what that
  /// costs.
  [[nodiscard]] AirfoilSequence sequence_on(const Machine& machine) const {
    if (!problem_.increments.empty() || !problem_.is_fused()) return asked();
    const AirfoilLoopCosts costs(machine, problem_.precision);
    if (costs.gathers()) return AirfoilSequence::gather;
    const bool gpu = machine.device.kind == "gpu";
    return !gpu && costs.has_tiled_stage() ? AirfoilSequence::tiled : asked();
  }

  AirfoilProblem problem_;
  OverlapOption overlap_;
  std::string halo_ = "auto";
  std::int64_t edges_ = 0;  // 0: not given
  bool predicts_ = false;   ///< any size, and no file
  AirfoilStudy study_;
};

}  // namespace

std::unique_ptr<App> make_airfoil_app() { return std::make_unique<AirfoilApp>(); }

}  // namespace bellwether
