// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>

#include "models/drift/drift_parameters.hpp"
#include "models/errors.hpp"
#include "models/power/power_parameters.hpp"

namespace bellwether {

PredictionSweep::PredictionSweep(const App& app, Machine machine, PredictionRequest request,
                                 RankSweep ranks, Progress& progress)
    : app_(&app),
      machine_(std::move(machine)),
      request_(std::move(request)),
      ranks_(std::move(ranks)),
      work_(app.work()) {
  constexpr std::ptrdiff_t at_once = 64;  // of the slowest model less than a second's
  const std::vector<int>& counts = ranks_.counts;
  for (auto from = counts.begin(); from != counts.end();) {
    progress.show("predicting rank counts", from - counts.begin(), std::ssize(counts));
    const auto to = from + std::min(at_once, counts.end() - from);
    std::vector<ScalingPoint> some = predict_what_fits({from, to});
    std::move(some.begin(), some.end(), std::back_inserter(points_));
    from = to;
  }
  summary_.add(points_);
  if (const DriftParameters* drift = section<DriftParameters>(machine_))
    intervals_.emplace(app.name(), work_.limit == WorkLimit::matrix_product, *drift);
  for (const ScalingPoint& point : points_)
    first_rank_seconds_.try_emplace({point.form, point.overlap}, rank_seconds_per_unit(point));
}

std::vector<ScalingPoint> PredictionSweep::predict(PredictionRequest request) const {
  if (!ranks_.weak) return app_->predict(machine_, request);
  std::vector<ScalingPoint> all;
  for (const int ranks : std::exchange(request.ranks, {})) {
    request.ranks = {ranks};
    const std::unique_ptr<App> grown = app_->grown(ranks);
    grown->check();
    const double units = grown->work().units;
    for (ScalingPoint& point : grown->predict(machine_, request)) {
      if (!(point.units > 0)) point.units = units;
      all.push_back(std::move(point));
    }
  }
  return all;
}

std::vector<ScalingPoint> PredictionSweep::predict_what_fits(const std::vector<int>& counts) {
  PredictionRequest request = request_;
  request.ranks = counts;
  try {
    return predict(request);
  } catch (const BadInput&) {  // of one of them: which?
  }
  std::vector<ScalingPoint> fitting;
  for (const int ranks : counts) {
    request.ranks = {ranks};
    try {
      std::vector<ScalingPoint> points = predict(request);
      std::move(points.begin(), points.end(), std::back_inserter(fitting));
    } catch (const BadInput& error) {
      if (std::binary_search(ranks_.named.begin(), ranks_.named.end(), ranks)) throw;
      if (left_out_.count++ == 0) left_out_ = {1, ranks, error.what()};
    }
  }
  return fitting;
}

double PredictionSweep::rank_seconds_per_unit(const ScalingPoint& point) const {
  return point.prediction.total_s * point.ranks / units(point);
}

double PredictionSweep::efficiency(const ScalingPoint& point) const {
  return first_rank_seconds_.at({point.form, point.overlap}) / rank_seconds_per_unit(point);
}

std::optional<double> PredictionSweep::joules(const ScalingPoint& point) const {
  return step_joules(machine_, work_.limit, point.ranks, request_.ranks_per_node,
                     point.prediction.total_s);
}

std::optional<RunInterval> PredictionSweep::interval(const ScalingPoint& point) const {
  if (!intervals_ || point.form != "refined" || !(point.prediction.total_s > 0)) return {};
  return intervals_->of(point.prediction, point.ranks > request_.ranks_per_node);
}

PredictionSweep PredictionSweep::thinned(std::size_t most) const {
  const std::vector<int>& counts = ranks_.counts;
  if (counts.size() <= most) return *this;
  RankSweep fewer;
  fewer.weak = ranks_.weak;
  const double ratio =
      std::pow(static_cast<double>(counts.back()) / counts.front(), 1 / static_cast<double>(most));
  const auto factors_of_two = [](int ranks) { return std::countr_zero(unsigned(ranks)); };
  double end = 0;  // of the neighbours that the last one stands for
  for (const int ranks : counts) {
    const bool is_end = ranks == counts.back() || fewer.counts.size() == 1;
    if (ranks >= end || is_end) {
      fewer.counts.push_back(ranks);
      end = std::max(end, 1.0 * ranks) * ratio;
    } else if (factors_of_two(ranks) > factors_of_two(fewer.counts.back())) {
      fewer.counts.back() = ranks;
    }
  }
  std::set_intersection(fewer.counts.begin(), fewer.counts.end(), ranks_.named.begin(),
                        ranks_.named.end(), std::back_inserter(fewer.named));
  Progress silent;
  return {*app_, machine_, request_, std::move(fewer), silent};
}

}  // namespace bellwether
