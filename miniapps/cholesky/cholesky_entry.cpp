// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/cholesky_entry.hpp"

#include <CLI/CLI.hpp>

#include "miniapps/driver/option_checks.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/precision.hpp"

namespace bellwether {
namespace {

class CholeskyPredictionEntry final : public PredictionEntry {
 public:
  static constexpr int largest_size = 10'000'000;

  [[nodiscard]] const char* name() const override { return "cholesky"; }
  [[nodiscard]] const char* summary() const override {
    return "Cholesky factorization of a dense matrix by columns, dealt out cyclically. Counted per "
           "factorization: n^3/3 flops";
  }
  void add_problem_options(CLI::App& command) override {
    command.add_option("--size", size_, "Rows and columns n of the matrix")
        ->required()
        ->type_name("N")
        ->check(whole_number(1, largest_size));
    command.add_option("--precision", precision_, "f32 or f64")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"f32", "f64"}));
  }
  void check() const override {}  // the options' own checks are all there is to it
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return cholesky_curve(machine, size_, precision_, request);
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

std::unique_ptr<PredictionEntry> make_cholesky_entry() {
  return std::make_unique<CholeskyPredictionEntry>();
}

}  // namespace bellwether
