// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/session/progress.hpp"
#include "miniapps/driver/app.hpp"
#include "models/scaling/rank_list.hpp"
#include "models/scaling/scaling_summary.hpp"
#include "results/run_interval.hpp"

namespace bellwether {

/// Rank counts of a sweep that could not be predicted.
struct LeftOut {
  long count = 0;
  int first = 0;
  std::string reason;  ///< of the first
};

/// An application's predictions over rank counts; of weak ones each with its problem grown. What
/// refuses a named count refuses the sweep; others that cannot be predicted are left out.
class PredictionSweep {
 public:
  /// The app outlives the sweep; the request's ranks are replaced.
  PredictionSweep(const App& app, Machine machine, PredictionRequest request, RankSweep ranks,
                  Progress& progress);

  /// In ascending counts.
  [[nodiscard]] const std::vector<ScalingPoint>& points() const { return points_; }
  [[nodiscard]] const ScalingSummary& summary() const { return summary_; }
  /// Rank seconds for a unit of work at the smallest count over this point's, of the same form and
  /// overlap mode.
  [[nodiscard]] double efficiency(const ScalingPoint& point) const;
  /// What all ranks of a point do in one step.
  [[nodiscard]] double units(const ScalingPoint& point) const {
    return point.units > 0 ? point.units : work_.units_on(point.ranks);
  }
  /// Of one step, where the machine's watts are known (step_joules).
  [[nodiscard]] std::optional<double> joules(const ScalingPoint& point) const;
  /// Whether the ranks decide on the problem.
  [[nodiscard]] bool grows() const { return ranks_.weak || work_.per_rank; }
  /// Of nine in ten runs of it: of the refined form, on a machine whose drift is known.
  [[nodiscard]] std::optional<RunInterval> interval(const ScalingPoint& point) const;
  [[nodiscard]] bool knows_runs() const { return intervals_.has_value(); }
  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }
  [[nodiscard]] const App& app() const { return *app_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] std::size_t counts() const { return ranks_.counts.size(); }
  /// The same with at most about `most` of the counts, spread over the logarithm: of neighbours the
  /// one with the most factors of two, as people choose them.
  [[nodiscard]] PredictionSweep thinned(std::size_t most) const;

 private:
  [[nodiscard]] std::vector<ScalingPoint> predict(PredictionRequest request) const;
  [[nodiscard]] std::vector<ScalingPoint> predict_what_fits(const std::vector<int>& counts);
  [[nodiscard]] double rank_seconds_per_unit(const ScalingPoint& point) const;

  const App* app_;
  Machine machine_;
  PredictionRequest request_;
  RankSweep ranks_;
  StepWork work_;
  std::optional<RunIntervals> intervals_;
  std::vector<ScalingPoint> points_;
  ScalingSummary summary_;
  LeftOut left_out_;
  std::map<std::pair<std::string, bool>, double> first_rank_seconds_;
};

}  // namespace bellwether
