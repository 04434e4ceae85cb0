// SPDX-License-Identifier: MIT
#include "miniapps/driver/registry.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/cholesky/cholesky_trace.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class CholeskyApp final : public App {
 public:
  static constexpr int largest_size = 10'000'000;

  [[nodiscard]] const char* name() const override { return "cholesky"; }
  [[nodiscard]] const char* summary() const override {
    return "Cholesky factorization of a dense matrix by columns, dealt out cyclically. Counted per "
           "factorization: n^3/3 flops";
  }
  void add_problem_options(Options& options) override {
    options.add({.names = "--size",
                 .target = &size_,
                 .help = "Rows and columns n of the matrix",
                 .type = "N",
                 .check = whole_number(1, largest_size),
                 .required = true});
    options.add_choice("--precision", precision_, {"f32", "f64"}, "f32 or f64");
  }
  void check() const override {}  // the options' own checks are all there is to it
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return cholesky_curve(machine, size_, precision_, request);
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    const CholeskyRun run{.size = size_,
                          .precision = precision_,
                          .ranks = request.ranks.front(),
                          .ranks_per_node = request.ranks_per_node,
                          .overlap = request.overlap.front()};
    return cholesky_trace(machine, run, predict(machine, request).front());
  }
  [[nodiscard]] StepWork work() const override {
    const double size = size_;
    const double flops = size * size * size / 3;
    // Each of the (n^3 - n)/6 updates reads and writes one value of the matrix.
    const double bytes = 2 * value_bytes(precision_) * size * (size * size - 1) / 6;
    return {.units = flops, .unit = "flop/s", .bytes = bytes, .flops = flops};
  }
  [[nodiscard]] const char* step_name() const override { return "factorization"; }

 private:
  int size_ = 0;
  std::string precision_ = "f64";
};

}  // namespace

std::unique_ptr<App> make_cholesky_app() { return std::make_unique<CholeskyApp>(); }

}  // namespace bellwether
