// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_entry.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "miniapps/lbm/lbm_app.hpp"
#include "miniapps/stencil/stencil_prediction_options.hpp"

namespace bellwether {
namespace {

class LbmEntry final : public MiniAppEntry {
 public:
  [[nodiscard]] const char* name() const override { return "lbm"; }
  [[nodiscard]] const char* summary() const override {
    return "3-D lattice Boltzmann, 19 velocities (D3Q19), BGK, one lattice updated in place. "
           "Counted per fluid cell and step: 159 flops (with a force 174, with --les 204, both "
           "224), and 19 values read and 19 written (152 bytes f32, 304 bytes f64); 5 values sent "
           "for each cell of a face and 1 of an edge (the paper form: 476 flops, 13 values)";
  }
  void add_problem_options(CLI::App& command) override { problem_.add_options(command); }
  [[nodiscard]] const char* picture_ending() const override { return ".vti"; }
  void ask_for_picture(std::string file) override { problem_.picture = std::move(file); }
  void add_prediction_options(CLI::App& command) override { options_.add_to(command, false); }
  void check() const override { validate(problem_); }
  [[nodiscard]] nlohmann::json request() const override {
    nlohmann::json request = to_json(problem_);
    request["picture"] = problem_.picture;
    return request;
  }
  [[nodiscard]] std::unique_ptr<MiniApp> build(const Session& session, Device& device,
                                               const Variant& variant, const Machine* machine,
                                               Heartbeat& heartbeat) const override {
    return make_lbm_app(session, device, problem_, variant, machine, &heartbeat);
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return stencil_curve(machine, lbm_stencil(problem_), options_.study(request, problem_));
  }
  [[nodiscard]] StepWork work() const override { return lbm_work(problem_, problem_.volume()); }

 private:
  LbmProblem problem_;
  StencilPredictionOptions options_;
};

}  // namespace

std::unique_ptr<MiniAppEntry> make_lbm_entry() { return std::make_unique<LbmEntry>(); }

}  // namespace bellwether
