// SPDX-License-Identifier: MIT
#include "results/run_interval.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "results/comparison.hpp"
#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

constexpr double coverage = 0.9;
constexpr std::size_t fewest_runs = 12;  // of which an extreme is beyond 5 % every other time

bool computes(const Term& term) { return term.name.starts_with("compute."); }
bool communicates(const Term& term) { return term.name == "network" || term.name == "reduce"; }

/// A term's or a total's ends as ratios to it; 1 where it is nothing.
Spread calibrated(double value, double low, double high) {
  if (!(value > 0)) return {};
  constexpr double least = 1e-3;  // of the value: an interval may begin at 0
  return Spread::of_interval(std::clamp(low / value, least, 1.), std::max(1., high / value));
}

/// What a machine's computations scatter by beside their memory and core, of so many seconds that
/// hold the computation.
Spread scattered(const Prediction& refined, double all_s) {
  const ComputeTime compute = compute_time(refined);
  if (!(compute.scatter > 0) || !(all_s > 0)) return {};
  const double share = std::min(1., compute.seconds() / all_s);
  return Spread::of_deviation(compute.scatter).through([&](double ratio) {
    return 1 + (ratio - 1) * share;
  });
}

/// How much slower a moment is than another: a run's than the one in which the calibration measured
/// what the run is predicted from.
ProbedDrift between_moments(const DriftParameters& drift, const std::string& of) {
  const std::vector<double>& slowness = drift.slowness(of);
  std::vector<double> speeds;
  speeds.reserve(slowness.size());
  for (const double slow : slowness) speeds.push_back(1 / slow);
  return {of, Spread::of(slowness).times(Spread::of(std::move(speeds))),
          slowness.empty() ? 1 : slowness.back()};
}

/// What of a prediction's total is probed or drifts, as its computation and its network do.
class Drifting {
 public:
  Drifting(const Prediction& refined, const ProbedDrift& memory, const ProbedDrift& core,
           const ProbedDrift& network)
      : compute_(compute_time(refined)),
        total_s_(refined.total_s),
        memory_(refined.compute || width(memory.between) > width(core.between) ? memory : core),
        core_(core),
        network_(network) {
    for (const Term& term : refined.terms)
      if (communicates(term)) network_s_ += term.seconds;
  }

  [[nodiscard]] Spread of_total() const {
    return of_compute(total_s_).times(network_.between.through(
        [&](double slowness) { return (total_s_ + (slowness - 1) * network_s_) / total_s_; }));
  }
  [[nodiscard]] Spread of(const Term& term) const {
    if (communicates(term)) return network_.between;
    const double all_s = compute_.seconds();
    if (!computes(term) || !(all_s > 0)) return {};
    return of_compute(all_s);
  }
  /// The probes of which the slowest would add most to the total.
  [[nodiscard]] const ProbedDrift& largest() const {
    const std::pair<double, const ProbedDrift*> added_s[] = {
        {compute_.seconds(1 / memory_.slowest) - compute_.seconds(), &memory_},
        {compute_.seconds(1, 1 / core_.slowest) - compute_.seconds(), &core_},
        {network_s_ * (network_.slowest - 1), &network_}};
    return *std::max_element(std::begin(added_s), std::end(added_s))->second;
  }

 private:
  static double width(const Spread& spread) {
    const auto [low, high] = spread.middle(coverage);
    return high / low;
  }
  /// Of so many seconds that hold the computation.
  [[nodiscard]] Spread of_compute(double all_s) const {
    const double calibrated_s = compute_.seconds();
    return memory_.between
        .through([&](double slowness) {
          return (all_s + compute_.seconds(1 / slowness) - calibrated_s) / all_s;
        })
        .times(core_.between.through([&](double slowness) {
          return (all_s + compute_.seconds(1, 1 / slowness) - calibrated_s) / all_s;
        }));
  }

  ComputeTime compute_;
  double total_s_, network_s_ = 0;
  const ProbedDrift& memory_;
  const ProbedDrift& core_;
  const ProbedDrift& network_;
};

/// At the speed that was probed beside each sample.
RunInterval::Ends at_probe(const Record& record, const Prediction& refined, const Spread& model) {
  const Summary ratio = *refined_at_probe(record);  // predicted / measured, of the samples
  RunInterval::Ends ends;
  ends.total_s = ratio.median * record.measured.total_s.median;
  double low_s = ends.total_s, high_s = ends.total_s;
  for (const Term& term : refined.terms) {
    if (computes(term)) continue;
    low_s -= term.seconds - term.low;
    high_s += term.high - term.seconds;
  }
  const Spread all =
      model.times(calibrated(ends.total_s, low_s, high_s))
          .times(scattered(refined, refined.total_s))
          .times(Spread::of_interval(ratio.low / ratio.median, ratio.high / ratio.median));
  const auto [low, high] = all.middle(coverage);
  ends.low_s = low * ends.total_s;
  ends.high_s = high * ends.total_s;
  return ends;
}

}  // namespace

double Residual::bound(double alpha, int m) const {
  return median + mean_excess * std::max(0.0, std::log(0.5 * m / alpha));
}

const Residual* residual_of(const std::string& app) {
  static const json document = json::parse(residual_files().front().text);
  static const auto all =
      json_map(open_object<Residual>(
                   {required("runs", &Residual::runs, json_count()),
                    required("median", &Residual::median, real()),
                    required("mean_excess", &Residual::mean_excess, real()),
                    required("source", &Residual::source, json_text()),
                    required("ratios", &Residual::ratios, json_map(json_list(real())))}))
          .read(JsonNode(document, "residuals.json").child("residuals"));
  const auto found = all.find(app);
  return found == all.end() ? nullptr : &found->second;
}

std::optional<ModelSpread> model_spread(const std::string& app, const std::string& term) {
  const Residual* const residual = residual_of(app);
  if (residual == nullptr || !residual->ratios.contains(term)) return {};
  const std::vector<double>& ratios = residual->ratios.at(term);
  if (ratios.size() < fewest_runs) return {};
  return ModelSpread{static_cast<int>(ratios.size()), Spread::of(ratios)};
}

std::optional<ModelSpread> model_spread_of_total(const std::string& app, bool between_nodes) {
  if (between_nodes)
    if (const auto between = model_spread(app, "total between nodes")) return between;
  return model_spread(app);
}

RunIntervals::RunIntervals(const std::string& app, bool multiplies, const DriftParameters& drift)
    : app_(app),
      memory_(between_moments(drift, multiplies ? "matrix product" : "memory")),
      core_(between_moments(drift, "matrix product")),
      network_(between_moments(drift,
                               drift.slowness("network").empty() ? "shared memory" : "network")) {}

RunInterval RunIntervals::of(const Prediction& refined, bool between_nodes) const {
  const std::optional<ModelSpread> model = model_spread_of_total(app_, between_nodes);
  const Spread of_model = model ? model->spread : Spread();
  const Spread calibration = calibrated(refined.total_s, refined.low_s, refined.high_s)
                                 .times(scattered(refined, refined.total_s));
  const Drifting drifting(refined, memory_, core_, network_);
  const Spread of_drift = drifting.of_total();
  RunInterval interval;
  interval.machine_s = {refined.low_s, refined.high_s};
  interval.calibration = calibration.middle(coverage);
  interval.drift = of_drift.middle(coverage);
  interval.model = of_model.middle(coverage);
  interval.model_runs = model ? model->runs : 0;
  interval.slowest_probe_of = drifting.largest().of;
  interval.slowest_probe = drifting.largest().slowest;
  const auto [low, high] = of_model.times(calibration).times(of_drift).middle(coverage);
  const double computed_s = compute_time(refined).seconds();
  interval.run = {refined.total_s, low * refined.total_s, high * refined.total_s};
  for (const Term& term : refined.terms) {
    const std::optional<ModelSpread> own = model_spread(app_, term.name);
    const auto [fast, slow] = calibrated(term.seconds, term.low, term.high)
                                  .times(computes(term) ? scattered(refined, computed_s) : Spread())
                                  .times(drifting.of(term))
                                  .times(own ? own->spread : Spread())
                                  .middle(coverage);
    interval.terms.push_back({term.name, term.seconds, fast * term.seconds, slow * term.seconds});
  }
  return interval;
}

std::optional<RunInterval> run_interval(const Record& record, const DriftParameters* drift,
                                        bool between_nodes) {
  const Prediction* refined = find_prediction(record, "refined");
  if (refined == nullptr || drift == nullptr || !(refined->total_s > 0)) return {};
  const RunIntervals intervals(record.app, record.rate.limit == "matrix product", *drift);
  RunInterval interval = intervals.of(*refined, between_nodes);
  if (refined_at_probe(record)) {
    const std::optional<ModelSpread> model = model_spread_of_total(record.app, between_nodes);
    interval.at_probe = at_probe(record, *refined, model ? model->spread : Spread());
  }
  return interval;
}

}  // namespace bellwether
