// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_entry.hpp"

#include "miniapps/stencil_prediction_options.hpp"
#include "miniapps/stencil_problem.hpp"
#include "models/stencil_apps.hpp"

namespace bellwether {
namespace {

class LbmEntry final : public PredictionEntry {
 public:
  [[nodiscard]] const char* name() const override { return "lbm"; }
  [[nodiscard]] const char* summary() const override {
    return "3-D lattice Boltzmann, 19 velocities (D3Q19). Counted per cell and step: 476 flops, "
           "and 19 values read and 19 written (152 bytes f32, 304 bytes f64); 5 values sent for "
           "each cell of a face (the paper form: 13, from buffers off the page)";
  }
  void add_problem_options(CLI::App& command) override {
    problem_.add_options(command, "periodic, or walls (bounce-back)");
  }
  void add_prediction_options(CLI::App& command) override { options_.add_to(command); }
  void check() const override { validate(problem_, "walls"); }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    ScalingStudy study = options_.study(request, problem_.precision, problem_.decomposition);
    study.cells = problem_.grid();
    study.periodic = problem_.periodic();
    return scaling_curve(machine, lattice_boltzmann(), study);
  }
  [[nodiscard]] StepWork work() const override {
    const StencilKernel kernel = lattice_boltzmann();
    const double cells = problem_.volume();
    const double values = kernel.read_values + kernel.written_values;
    return {cells, "cells/s", cells * values * problem_.value_bytes(), cells * kernel.flops};
  }

 private:
  StencilProblem problem_;
  StencilPredictionOptions options_;
};

}  // namespace

std::unique_ptr<PredictionEntry> make_lbm_entry() { return std::make_unique<LbmEntry>(); }

}  // namespace bellwether
