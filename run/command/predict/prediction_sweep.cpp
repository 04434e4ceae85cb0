// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "models/drift/drift_parameters.hpp"
#include "models/errors.hpp"
#include "models/power/power_parameters.hpp"

namespace bellwether {
namespace {

constexpr std::ptrdiff_t batch_counts = 64;  // of the slowest model less than a second's

}  // namespace

PredictionSweep::PredictionSweep(const App& app, Machine machine, PredictionRequest request,
                                 RankSweep ranks, Progress& progress)
    : app_(&app),
      progress_(&progress),
      machine_(std::move(machine)),
      request_(std::move(request)),
      ranks_(std::move(ranks)) {
  sample_is_all_ = ranks_.counts.size() <= most_kept_counts;
  if (sample_is_all_)
    predict_all(
        [this](const Batch& batch) { sample_.insert(sample_.end(), batch.begin(), batch.end()); });
  else
    sample_ = predict(ranks_.named);
  work_ = app.work();
  if (const DriftParameters* drift = section<DriftParameters>(machine_))
    intervals_.emplace(app.name(), work_.limit == WorkLimit::matrix_product, *drift);
  for (const ScalingPoint& point : sample_)
    first_rank_seconds_.try_emplace({point.form, point.overlap}, rank_seconds_per_unit(point));
}

PredictionSweep::Batch PredictionSweep::predict(const std::vector<int>& counts) const {
  PredictionRequest request = request_;
  request.ranks = counts;
  return ranks_.weak ? predict_grown(request) : app_->predict(machine_, request);
}

PredictionSweep::Batch PredictionSweep::predict_grown(PredictionRequest request) const {
  Batch all;
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

PredictionSweep::Batch PredictionSweep::predict_what_fits(const std::vector<int>& counts) {
  PredictionRequest request = request_;
  request.ranks = counts;
  request.leave_out_unfit = true;
  Batch fitting;
  try {
    fitting = ranks_.weak ? predict_grown(request) : app_->predict(machine_, request);
  } catch (const BadInput&) {  // an application that leaves nothing out by itself, or none fits
    fitting = predict_one_by_one(counts);
  }
  note_left_out(counts, fitting);
  return fitting;
}

PredictionSweep::Batch PredictionSweep::predict_one_by_one(const std::vector<int>& counts) const {
  Batch fitting;
  for (const int ranks : counts) {
    try {
      Batch points = predict({ranks});
      std::move(points.begin(), points.end(), std::back_inserter(fitting));
    } catch (const BadInput&) {  // said by note_left_out
    }
  }
  return fitting;
}

void PredictionSweep::note_left_out(const std::vector<int>& counts, const Batch& fitting) {
  auto at = fitting.begin();
  for (const int ranks : counts) {
    while (at != fitting.end() && at->ranks < ranks) ++at;
    if (at != fitting.end() && at->ranks == ranks) continue;
    const bool named = std::binary_search(ranks_.named.begin(), ranks_.named.end(), ranks);
    if (named || left_out_.count == 0) {
      try {
        (void)predict({ranks});
      } catch (const BadInput& error) {
        if (named) throw;
        left_out_.first = ranks;
        left_out_.reason = error.what();
      }
    }
    ++left_out_.count;
  }
}

void PredictionSweep::for_each_batch(const std::function<void(const Batch&)>& take) {
  if (sample_is_all_) return take(sample_);
  predict_all(take);
}

void PredictionSweep::predict_all(const std::function<void(const Batch&)>& take) {
  left_out_ = {};
  const std::vector<int>& counts = ranks_.counts;
  for (auto from = counts.begin(); from != counts.end();) {
    progress_->show("predicting rank counts", from - counts.begin(),
                    static_cast<long>(counts.size()));
    const auto to = from + std::min(batch_counts, counts.end() - from);
    take(predict_what_fits({from, to}));
    from = to;
  }
}

PredictionSweep::Batch PredictionSweep::at_counts_of(const Batch& batch) const {
  std::vector<int> counts;
  for (const ScalingPoint& point : batch)
    if (counts.empty() || counts.back() != point.ranks) counts.push_back(point.ranks);
  return predict(counts);
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
  return {*app_, machine_, request_, std::move(fewer), *progress_};
}

}  // namespace bellwether
