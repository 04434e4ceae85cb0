// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "miniapps/driver/app.hpp"
#include "miniapps/hpl/hpl_case.hpp"
#include "miniapps/hpl/hpl_lines.hpp"
#include "miniapps/hpl/hpl_options.hpp"
#include "models/hpl/hpl_curve.hpp"

namespace bellwether {
namespace {

class HplApp final : public App {
 public:
  [[nodiscard]] const char* name() const override { return "hpl"; }
  [[nodiscard]] const char* example_options() const override { return "--size 10000"; }
  [[nodiscard]] std::string summary() const override {
    return "High-performance LINPACK: LU with row pivoting of a dense N x N matrix of doubles, a "
           "rank to each device. Counted per factorization: 2/3 N^3 + 3/2 N^2 flops, as HPL does. "
           "Overlap is look-ahead by one panel; the paper's form does not know it";
  }
  void add_problem_options(Options&) override {}  // a run and a prediction take other lists
  void add_prediction_options(Options& options) override {
    options_.add_prediction_options(options);
  }
  void add_run_options(Options& options) override { options_.add_run_options(options); }
  void check() const override { options_.check(); }
  [[nodiscard]] std::vector<CasePlan> cases() const override {
    std::vector<CasePlan> plans;
    for (const HplAsked& asked : options_.runs())
      plans.push_back({to_json(asked), to_json(asked.variant), [asked](const CaseSite& site) {
                         return make_hpl_case(site, chosen_problem(asked, site), asked.variant);
                       }});
    return plans;
  }
  [[nodiscard]] std::vector<std::string> remarks(const CaseSite& site) const override {
    std::vector<std::string> remarks = options_.remarks();
    for (std::string& remark : remarks_of(options_.runs(), site))
      remarks.push_back(std::move(remark));
    return remarks;
  }
  [[nodiscard]] std::string lines_of(const Record& record) const override {
    return (options_.details() ? hpl_curve_lines(record) : "") + hpl_result_lines(record);
  }
  [[nodiscard]] std::unique_ptr<App> grown(int ranks) const override {
    auto all = std::make_unique<HplApp>(*this);
    all->options_.grow(ranks);
    return all;
  }
  [[nodiscard]] std::vector<ScalingPoint> predict(const Machine& machine,
                                                  const PredictionRequest& request) const override {
    HplStudy study = options_.study();
    study.request = request;
    return hpl_curve(machine, study);
  }
  [[nodiscard]] std::unique_ptr<Trace> trace(const Machine& machine,
                                             const PredictionRequest& request) const override {
    HplStudy study = options_.study();
    study.request = request;
    return hpl_trace(machine, study);
  }
  [[nodiscard]] StepWork work() const override {
    StepWork work = hpl_work(options_.size().value_or(0));
    work.per_rank = !options_.size();  // each point says how many
    return work;
  }
  [[nodiscard]] const char* step_name() const override { return "factorization"; }

 private:
  HplOptions options_;
};

}  // namespace

std::unique_ptr<App> make_hpl_app() { return std::make_unique<HplApp>(); }

}  // namespace bellwether
