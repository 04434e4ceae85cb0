// SPDX-License-Identifier: MIT
#include "miniapps/driver/registry.hpp"
#include "miniapps/hpl/hpl_options.hpp"

namespace bellwether {
namespace {

class HplApp final : public App {
 public:
  [[nodiscard]] const char* name() const override { return "hpl"; }
  [[nodiscard]] const char* summary() const override {
    return "High-performance LINPACK: LU with row pivoting of a dense N x N matrix of doubles, a "
           "rank to each device. Counted per factorization: 2/3 N^3 + 3/2 N^2 flops, as HPL does. "
           "Overlap is look-ahead by one panel; the paper's form does not know it";
  }
  void add_problem_options(Options&) override {}  // a run and a prediction take other lists
  void add_prediction_options(Options& options) override {
    options_.add_prediction_options(options);
  }
  void check() const override { options_.check(); }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    HplStudy study = options_.study();
    study.request = request;
    return hpl_curve(machine, study);
  }
  [[nodiscard]] StepWork work() const override {
    const double size = static_cast<double>(*options_.size());
    const double flops = hpl_flops(size);
    return {.units = flops, .unit = "flop/s", .bytes = 8 * size * size, .flops = flops};
  }
  [[nodiscard]] const char* step_name() const override { return "factorization"; }

 private:
  HplOptions options_;
};

}  // namespace

std::unique_ptr<App> make_hpl_app() { return std::make_unique<HplApp>(); }

}  // namespace bellwether
