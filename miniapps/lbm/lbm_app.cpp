// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/lbm/lbm_body.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/file_contents.hpp"
#include "miniapps/lbm/lbm_geometry.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "miniapps/lbm/lbm_solid_work.hpp"
#include "miniapps/stencil/stencil_options.hpp"
#include "models/stencil/stencil_curve.hpp"

namespace bellwether {
namespace {

class LbmApp final : public App, public ProblemFiles {
 public:
  [[nodiscard]] const char* name() const override { return "lbm"; }
  [[nodiscard]] const char* example_options() const override { return "--cells 200 200 200"; }
  [[nodiscard]] std::string summary() const override {
    const StencilKernel kernel = lbm_stencil({});
    return fmt::format(
        "3-D lattice Boltzmann, 19 velocities (D3Q19), BGK, one lattice updated in place. Counted "
        "per fluid cell and step: {} (flops with a force {}, with --les {}, both {}); {} values "
        "sent "
        "for each cell of a face and {} of an edge (the paper form: {} flops, {} values)",
        counted_text(kernel), lbm_flops(true, false), lbm_flops(false, true), lbm_flops(true, true),
        kernel.halo_values, kernel.edge_values, kernel.paper_flops, kernel.paper_halo_values);
  }
  void add_problem_options(Options& options) override { problem_.add_options(options); }
  void add_run_options(Options& options) override { run_.add_to(options, false); }
  void add_prediction_options(Options& options) override { prediction_.add_to(options, false); }
  [[nodiscard]] const char* picture_ending() const override { return ".vti"; }
  void ask_for_picture(std::string file) override { problem_.picture = std::move(file); }
  void check() const override { validate(problem_); }
  [[nodiscard]] std::vector<CasePlan> cases() const override {
    nlohmann::json problem = to_json(problem_);
    problem["picture"] = problem_.picture;
    std::vector<CasePlan> plans;
    for (const StencilRunVariant& variant : run_.variants())
      plans.push_back({problem, to_json(variant), [this, variant](const CaseSite& site) {
                         return make_lbm_case(site, problem_, variant);
                       }});
    return plans;
  }
  [[nodiscard]] std::map<std::string, std::vector<std::string>> problem_files() const override {
    if (is_generated(problem_.geometry)) return {};
    return {{"geometry", {problem_.geometry}}};
  }
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<LbmApp>(*this);
    all->problem_.cells = cells_of_all(problem_.cells, ranks);
    all->fluid_cells_.reset();
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return stencil_curve(machine, lbm_stencil(problem_), study(machine, request));
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    return stencil_trace(machine, lbm_stencil(problem_), study(machine, request));
  }
  [[nodiscard]] StepWork work() const override {
    if (is_all_fluid(problem_)) return lbm_work(problem_, problem_.volume());
    if (!fluid_cells_) fluid_cells_ = fluid_cells(problem_);
    return lbm_work(problem_, *fluid_cells_);
  }

 private:
  [[nodiscard]] StencilStudy study(const Machine& machine, const PredictionRequest& request) const {
    StencilStudy study = prediction_.study(machine, request, problem_);
    if (!is_all_fluid(problem_))
      study.solids = [this](const Decomposition& parts) { return solid_work(problem_, parts); };
    return study;
  }

  LbmProblem problem_;
  mutable std::optional<double> fluid_cells_;  ///< of a problem with solid cells, once counted
  StencilRunOptions run_;
  StencilPredictionOptions prediction_;
};

}  // namespace

std::unique_ptr<App> make_lbm_app() { return std::make_unique<LbmApp>(); }

}  // namespace bellwether
