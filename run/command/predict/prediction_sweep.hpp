// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/progress.hpp"
#include "miniapps/driver/app.hpp"
#include "models/scaling/rank_list.hpp"
#include "results/run_interval.hpp"

namespace bellwether {

/// Rank counts of a sweep that could not be predicted.
struct LeftOut {
  long count = 0;
  int first = 0;
  std::string reason;  ///< of the first
};

/// An application's predictions over rank counts (of weak ones each with its problem grown), a
/// batch at a time. What refuses a named count refuses the sweep; others of a range that cannot be
/// predicted are left out.
class PredictionSweep {
 public:
  using Batch = std::vector<ScalingPoint>;
  /// Up to so many are predicted at once, so that the sample is all.
  static constexpr std::size_t most_kept_counts = 1024;

  /// Predicts the named counts, so that what refuses them does so before anything is printed. The
  /// app and the progress must outlive the sweep; the request's ranks are replaced.
  PredictionSweep(const App& app, Machine machine, PredictionRequest request, RankSweep ranks,
                  Progress& progress);

  /// All points in ascending counts, whole counts in each batch. May be called again.
  void for_each_batch(const std::function<void(const Batch&)>& take);

  /// The points at the counts of another sweep's batch.
  [[nodiscard]] Batch at_counts_of(const Batch& batch) const;

  /// Points of some counts, the smallest one among them: what there is to know before the rest.
  [[nodiscard]] const Batch& sample() const { return sample_; }
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
  /// The same over at most about `most` of the counts, spread over the logarithm: of neighbours the
  /// one with the most factors of two, as people choose them.
  [[nodiscard]] PredictionSweep thinned(std::size_t most) const;

 private:
  [[nodiscard]] Batch predict(const std::vector<int>& counts) const;
  /// Of each count the application grown to it.
  [[nodiscard]] Batch predict_grown(PredictionRequest request) const;
  void predict_all(const std::function<void(const Batch&)>& take);
  Batch predict_what_fits(const std::vector<int>& counts);
  [[nodiscard]] Batch predict_one_by_one(const std::vector<int>& counts) const;
  [[nodiscard]] double rank_seconds_per_unit(const ScalingPoint& point) const;
  void note_left_out(const std::vector<int>& counts, const Batch& fitting);

  const App* app_;
  Progress* progress_;
  Machine machine_;
  PredictionRequest request_;
  RankSweep ranks_;
  StepWork work_;
  std::optional<RunIntervals> intervals_;
  Batch sample_;
  bool sample_is_all_ = false;
  LeftOut left_out_;
  std::map<std::pair<std::string, bool>, double> first_rank_seconds_;
};

}  // namespace bellwether
