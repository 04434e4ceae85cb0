// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_entry.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "miniapps/diffusion/diffusion_app.hpp"
#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/stencil/stencil_prediction_options.hpp"

namespace bellwether {
namespace {

class DiffusionEntry final : public MiniAppEntry {
 public:
  [[nodiscard]] const char* name() const override { return "diffusion"; }
  [[nodiscard]] const char* summary() const override {
    return "3-D diffusion, 7-point stencil, forward Euler. Counted per cell and step: 13 flops, "
           "and "
           "one value read and one written (8 bytes f32, 16 bytes f64)";
  }
  void add_problem_options(CLI::App& command) override {
    problem_.add_options(command, "periodic, or dirichlet (value 0 at the walls)");
  }
  void check() const override { validate(problem_); }
  [[nodiscard]] nlohmann::json request() const override { return to_json(problem_); }
  [[nodiscard]] std::unique_ptr<MiniApp> build(const Session& session, Device& device,
                                               const Variant& variant, const Machine* machine,
                                               Heartbeat& heartbeat) const override {
    return make_diffusion_app(session, device, problem_, variant, machine, &heartbeat);
  }
  void add_prediction_options(CLI::App& command) override { options_.add_to(command, true); }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return stencil_curve(machine, diffusion_stencil(), options_.study(request, problem_));
  }
  [[nodiscard]] StepWork work() const override { return diffusion_work(problem_); }

 private:
  DiffusionProblem problem_;
  StencilPredictionOptions options_;
};

}  // namespace

std::unique_ptr<MiniAppEntry> make_diffusion_entry() { return std::make_unique<DiffusionEntry>(); }

}  // namespace bellwether
