// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "kernels/dense/host_blas.hpp"
#include "miniapps/cholesky/cholesky_case.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/options.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

class CholeskyApp final : public App {
 public:
  static constexpr int largest_size = 10'000'000, largest_block = 4096;

  [[nodiscard]] const char* name() const override { return "cholesky"; }
  [[nodiscard]] const char* example_options() const override { return "--size 5000"; }
  [[nodiscard]] std::string summary() const override {
    return "Cholesky factorization of a dense symmetric positive definite matrix by columns, dealt "
           "out cyclically. Counted per factorization: n^3/3 flops, and by columns a value read "
           "and written for each of the (n^3 - n)/6 updates. Overlap is look-ahead by one column "
           "or block; the paper's form does not know it";
  }
  void add_problem_options(Options& options) override {
    options.add("-N,--size", &problem_.size, "Rows and columns n of the matrix",
                {.type = "N", .check = whole_number(1, largest_size), .required = true});
    add_precision_option(options, problem_.precision);
    options.add("--block", &block_,
                "Columns that are dealt out, factored and sent at once; 1 is the paper's "
                "algorithm, more are updated by matrix products; auto: of 32 to 512 the "
                "block predicted fastest",
                {.type = "B", .check = block_or_auto, .shows_default = true});
  }
  void add_run_options(Options& options) override {
    options.add("--shift", &problem_.shift,
                "Subtracted from the diagonal, which is sqrt(N) without it: from about "
                "0.42 sqrt(N) on the matrix is no longer positive definite, which the "
                "run tells by its column",
                {.type = "S", .check = non_negative_number(), .shows_default = true});
    overlap_.add_to(options);
  }
  void check() const override {
    if (block() > problem_.size)
      throw BadInput(
          fmt::format("--block: found {}, expected at most --size, {}", block(), problem_.size));
  }
  [[nodiscard]] std::vector<CasePlan> cases() const override {
    std::vector<CasePlan> plans;
    for (const bool look_ahead : overlap_.modes()) {
      CholeskyProblem problem = problem_;
      problem.block = block();
      problem.look_ahead = look_ahead;
      plans.push_back({problem_of(problem), variant_of(problem), [problem](const CaseSite& site) {
                         return make_cholesky_case(site, with_block(problem, site));
                       }});
    }
    return plans;
  }
  [[nodiscard]] std::vector<std::string> remarks(const CaseSite& site) const override {
    CholeskyProblem problem = problem_;
    problem.block = block();
    problem = with_block(problem, site);
    const long panels = (problem.size + problem.block - 1) / problem.block;
    const int ranks = site.session.size();
    std::vector<std::string> remarks;
    if (block() == 0 && site.machine == nullptr)
      remarks.push_back(fmt::format(
          "--block auto: {}, as no machine file says which is fastest (bellwether calibrate)",
          problem.block));
    if (problem.block > 1 && site.device.is_host() && !blas_remark().empty())
      remarks.push_back(blas_remark());
    if (ranks > panels)
      remarks.push_back(fmt::format("{} ranks for {} {}: {} of them have none and only wait", ranks,
                                    panels, problem.block == 1 ? "columns" : "blocks of columns",
                                    ranks - panels));
    return remarks;
  }
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<CholeskyApp>(*this);
    all->problem_.size = rows_of_all(problem_.size, ranks);
    if (all->problem_.size > largest_size)
      throw BadInput(
          fmt::format("--size: found {} of one rank, {} of {} ranks, expected at most {}",
                      problem_.size, all->problem_.size, ranks, largest_size));
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    return cholesky_curve(machine, static_cast<int>(problem_.size), problem_.precision, request,
                          block());
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    const CholeskyRun run{.size = static_cast<int>(problem_.size),
                          .precision = problem_.precision,
                          .ranks = request.ranks.front(),
                          .ranks_per_node = request.ranks_per_node,
                          .overlap = request.overlap.front(),
                          .block = block()};
    return cholesky_trace(machine, with_block(machine, run), predict(machine, request).front());
  }
  [[nodiscard]] StepWork work() const override {
    CholeskyProblem problem = problem_;
    problem.block = block();
    return cholesky_work(problem);
  }
  [[nodiscard]] const char* step_name() const override { return "factorization"; }

 private:
  /// "" for auto and a whole number; else what was found and is expected.
  static std::string block_or_auto(const std::string& word) {
    const std::string wrong = word == "auto" ? "" : whole_number(1, largest_block)(word);
    return wrong.empty() ? wrong : wrong + ", or auto";
  }
  /// As CholeskyProblem has it: 0 for auto.
  [[nodiscard]] int block() const { return parse_number<int>(block_).value_or(0); }

  CholeskyProblem problem_;
  std::string block_ = "1";
  OverlapOption overlap_;
};

}  // namespace

std::unique_ptr<App> make_cholesky_app() { return std::make_unique<CholeskyApp>(); }

}  // namespace bellwether
