// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/stencil/stencil_options.hpp"
#include "models/stencil/stencil_curve.hpp"

namespace bellwether {
namespace {

class DiffusionApp final : public App {
 public:
  [[nodiscard]] const char* name() const override { return "diffusion"; }
  [[nodiscard]] const char* example_options() const override { return "--cells 384 384 384"; }
  [[nodiscard]] std::string summary() const override {
    return "3-D diffusion, 7-point stencil, forward Euler. Counted per cell and step: " +
           counted_text(diffusion_stencil());
  }
  void add_problem_options(Options& options) override {
    problem_.add_options(options, "dirichlet", "periodic, or dirichlet (value 0 at the walls)");
  }
  void add_run_options(Options& options) override { run_.add_to(options, true); }
  void add_prediction_options(Options& options) override { prediction_.add_to(options, true); }
  void check() const override { validate(problem_); }
  [[nodiscard]] std::vector<CasePlan> cases() const override {
    std::vector<CasePlan> plans;
    for (const StencilRunVariant& variant : run_.variants())
      plans.push_back({to_json(problem_), to_json(variant), [this, variant](const CaseSite& site) {
                         return make_diffusion_case(site, problem_, variant);
                       }});
    return plans;
  }
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<DiffusionApp>(*this);
    all->problem_.cells = cells_of_all(problem_.cells, ranks);
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return stencil_curve(machine, diffusion_stencil(),
                         prediction_.study(machine, request, problem_));
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    return stencil_trace(machine, diffusion_stencil(),
                         prediction_.study(machine, request, problem_));
  }
  [[nodiscard]] StepWork work() const override { return diffusion_work(problem_); }

 private:
  DiffusionProblem problem_;
  StencilRunOptions run_;
  StencilPredictionOptions prediction_;
};

}  // namespace

std::unique_ptr<App> make_diffusion_app() { return std::make_unique<DiffusionApp>(); }

}  // namespace bellwether
