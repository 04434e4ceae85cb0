// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/cholesky_paper.hpp"
#include "models/cholesky/cholesky_program.hpp"
#include "models/network/paths.hpp"
#include "models/scaling/scaling_curve.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class CholeskyCurve final : public CurveModel {
 public:
  CholeskyCurve(const Machine& machine, CholeskyRun run)
      : machine_(machine), asked_block_(run.block), run_(std::move(run)) {}

  void divide(int ranks, bool overlap, const std::string& /*form*/) override {
    run_.ranks = ranks;
    run_.overlap = overlap;
    run_.block = asked_block_;
    run_ = with_block(machine_, run_);
    const std::pair key(RankPlacement{run_.ranks_per_node}.on_node(ranks), ranks > 1);
    costs_ = &kept_.try_emplace(key, machine_, run_.precision, key.first, key.second).first->second;
  }
  [[nodiscard]] std::string layout() const override {
    return run_.block == 1 ? "cyclic columns" : fmt::format("cyclic blocks of {}", run_.block);
  }
  [[nodiscard]] nlohmann::json choice() const override { return {{"distribution", layout()}}; }
  [[nodiscard]] double bytes_per_rank() const override {
    return value_bytes(run_.precision) * run_.size * run_.size / run_.ranks;
  }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    return form == "paper" ? predict_cholesky_paper(machine_, run_)
                           : predict_cholesky_refined(machine_, run_, *costs_);
  }

 private:
  const Machine& machine_;
  int asked_block_;
  CholeskyRun run_;
  std::map<std::pair<int, bool>, ColumnCosts> kept_;  // by ranks on a node, and whether parallel
  const ColumnCosts* costs_ = nullptr;
};

}  // namespace

std::vector<Prediction> predict_cholesky(const Machine& machine, const CholeskyRun& run) {
  const ColumnCosts costs(machine, run.precision,
                          RankPlacement{run.ranks_per_node}.on_node(run.ranks), run.ranks > 1);
  return {predict_cholesky_paper(machine, run), predict_cholesky_refined(machine, run, costs)};
}

CholeskyRun with_block(const Machine& machine, CholeskyRun run) {
  if (run.block != 0) return run;
  const ColumnCosts costs(machine, run.precision,
                          RankPlacement{run.ranks_per_node}.on_node(run.ranks), run.ranks > 1);
  const auto [narrowest, widest] = calibrated_blocks(machine, run.precision);
  double least_s = std::numeric_limits<double>::infinity();
  CholeskyRun fastest = run;
  fastest.block = std::min(host_block_without_machine, run.size);
  for (const int block : {32, 64, 96, 128, 192, 256, 384, 512}) {
    if (block < narrowest || block > widest || block > run.size) continue;
    run.block = block;
    const double seconds = predict_cholesky_refined(machine, run, costs).total_s;
    if (seconds >= least_s) continue;
    least_s = seconds;
    fastest = run;
  }
  return fastest;
}

std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request, int block) {
  const CholeskyRun run{.size = size,
                        .precision = precision,
                        .ranks_per_node = request.ranks_per_node,
                        .block = block};
  return scaling_curve(machine, request,
                       [&] { return std::make_unique<CholeskyCurve>(machine, run); });
}

std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point) {
  const ColumnCosts costs(machine, run.precision,
                          RankPlacement{run.ranks_per_node}.on_node(run.ranks), run.ranks > 1);
  std::vector<std::string> notes, said_by_the_point;
  if (run.overlap && run.ranks > 2)
    notes.push_back(
        fmt::format("who passes a {} on looks for it when the model expects it there, and "
                    "sends on when the message before would by itself have left",
                    run.block == 1 ? "column" : "block of columns"));
  if (machine.device.kind == "gpu" && run.ranks > 1)
    notes.emplace_back("copies of a GPU are part of computation, before and after each message");
  return program_trace(
      std::move(point),
      std::make_unique<CholeskyProgram>(machine, run, costs, Bound::value, said_by_the_point),
      std::move(notes));
}

}  // namespace bellwether
