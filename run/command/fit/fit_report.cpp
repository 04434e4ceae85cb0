// SPDX-License-Identifier: MIT
#include "run/command/fit/fit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "results/comparison.hpp"
#include "results/statistics.hpp"
#include "run/command/fit/formula.hpp"
#include "run/command/predict/prediction_text.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json to_json(const Quantity& quantity) {
  return {{"value", number(quantity.value)},
          {"low", number(quantity.low)},
          {"high", number(quantity.high)}};
}

/// The sizes that were measured, ascending, with their first points.
std::vector<const TimedPoint*> sizes_of(const TimedSeries& series) {
  std::map<double, const TimedPoint*> sizes;
  for (const TimedPoint& point : series.points) sizes.emplace(point.whole.size, &point);
  std::vector<const TimedPoint*> all;
  for (const auto& [size, point] : sizes) all.push_back(point);
  return all;
}

/// A size with all that follows from the fit.
struct SizeFindings {
  const TimedPoint* point;
  double work = 0, one_rank_s = 0;
  Quantity fraction, bound, rate;
  BestRanks best;

  SizeFindings(const FittedSeries& fitted, const TimedPoint& of)
      : point(&of),
        work(fitted.whole.work(of.whole)),
        one_rank_s(fitted.whole.seconds(work, 1)),
        fraction(fitted.whole.parallel_fraction(work)),
        bound(fitted.whole.speed_up_bound(work)),
        rate(fitted.whole.rate_per_s(work)),
        best(fitted.whole.best_ranks(work, fitted.within)) {}
};

std::optional<Quantity> efficiency(const FittedSeries& fitted, const SizeFindings& size) {
  if (!fitted.series.peak_per_s || !(size.point->whole.work > 0)) return {};
  const double peak = *fitted.series.peak_per_s;
  return Quantity{size.rate.value / peak, size.rate.low / peak, size.rate.high / peak, {}};
}

std::size_t held_out_count(const FittedSeries& fitted) {
  return static_cast<std::size_t>(std::count(fitted.held_out.begin(), fitted.held_out.end(), true));
}

Quantity predicted(const FittedSeries& fitted, const TimedPoint& point) {
  return fitted.whole.predicted_s(fitted.whole.work(point.whole), point.whole.ranks);
}

bool has_sizes(const ScalingFit& fit) { return fit.form.sweep != Sweep::constant_share; }

json constants_json(const ScalingFit& fit) {
  json all = {{"start_up_s", to_json(fit.start_up_s())},
              {"rms_residual", fit.constants.rms_residual},
              {"left_out_residual", number(fit.constants.left_out_residual)},
              {"largest_residual", fit.constants.largest_residual}};
  if (fit.serial_place() >= 0) all["serial_s"] = to_json(fit.serial_s());
  if (fit.parallel_place() >= 0) all["parallel_s"] = to_json(fit.parallel_s());
  if (const auto own = fit.parallel_efficiency()) all["parallel_efficiency"] = to_json(*own);
  if (fit.overhead_place() >= 0) all["overhead_s"] = to_json(fit.overhead_s());
  return all;
}

json form_json(const ScalingForm& form) {
  constexpr const char* growths[] = {"none",      "constant",    "tree",
                                     "cube root", "square root", "linear"};
  constexpr const char* sweeps[] = {"sizes and ranks", "one size", "constant share"};
  return {{"formula", formula(form)},
          {"sweep", sweeps[static_cast<int>(form.sweep)]},
          {"first_ranks", form.first_ranks},
          {"work_exponent", form.work_exponent > 0 ? json(form.work_exponent) : json(nullptr)},
          {"serial_exponent", form.serial_exponent},
          {"own_efficiency", form.own_efficiency},
          {"overhead_growth", growths[static_cast<int>(form.growth)]},
          {"overhead_exponent", form.overhead_exponent}};
}

/// The fitted times of a size from `first` ranks to beyond all measured and the best.
json curve_json(const FittedSeries& fitted, const std::string& size, double work, double first,
                double best) {
  double last = 1;
  for (const TimedPoint& point : fitted.series.points)
    last = std::max(last, 8. * point.whole.ranks);
  last = std::max(last, std::min(2 * best, 1e6));
  json curve = {{"size", size}, {"ranks", json::array()}, {"seconds", json::array()}};
  constexpr int points = 120;
  for (int k = 0; k <= points; ++k) {
    const double ranks = first * std::pow(last / first, static_cast<double>(k) / points);
    curve["ranks"].push_back(ranks);
    // Between one rank and two there is nothing.
    curve["seconds"].push_back(ranks > 1 && ranks < 2 ? json(nullptr)
                                                      : json(fitted.whole.seconds(work, ranks)));
  }
  return curve;
}

/// Two, four and eight times as many ranks as were measured, of the largest size.
struct Beyond {
  const TimedPoint* largest;
  double ranks;
  Quantity fit;
};
std::vector<Beyond> beyond(const FittedSeries& fitted) {
  const TimedPoint* largest = sizes_of(fitted.series).back();
  int most = 1;
  for (const TimedPoint& point : fitted.series.points) most = std::max(most, point.whole.ranks);
  std::vector<Beyond> all;
  for (const double factor : {2., 4., 8.})
    all.push_back({largest, factor * most,
                   fitted.whole.predicted_s(fitted.whole.work(largest->whole), factor * most)});
  return all;
}

std::string plain(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "unbounded";
}
std::string plain_interval(const Quantity& of) {
  return fmt::format("[{}, {}]", plain(of.low), plain(of.high));
}
std::string percent(double fraction) { return fmt::format("{:.2f}", 100 * fraction); }
std::string percent_interval(const Quantity& of) {
  return fmt::format("[{}, {}]", percent(of.low), percent(of.high));
}
std::string ranks_text(double ranks) { return fmt::format("{:.0f}", ranks); }

std::string head(const FittedSeries& fitted) {
  const TimedSeries& series = fitted.series;
  std::set<int> ranks;
  for (const TimedPoint& point : series.points) ranks.insert(point.whole.ranks);
  std::string text = series.app.empty() ? "times" : series.app;
  std::vector<std::string> fixed;
  for (const auto& [key, value] : series.fixed.items())
    fixed.push_back(key + " " + json_words(value));
  if (!fixed.empty()) text += fmt::format(" ({})", fmt::join(fixed, ", "));
  const std::size_t sizes = sizes_of(series).size();
  text += fmt::format(": {} measured times of {} size{} on {} ranks", series.points.size(), sizes,
                      sizes == 1 ? "" : "s", fmt::join(ranks, ", "));
  if (const std::size_t held = held_out_count(fitted)) text += fmt::format("; {} held out", held);
  for (const auto& [reason, count] : series.passed_over)
    text += fmt::format("; passed over: {} {}", count, reason);
  return text + "\n";
}

std::string constants_table(const FittedSeries& fitted) {
  const ScalingFit& fit = fitted.whole;
  const TimedPoint& point = fitted.series.points.front();
  std::string of_work;
  if (fit.form.work_exponent > 0)
    of_work = fmt::format(", f = {}", power("n", fit.form.work_exponent));
  else if (point.whole.work > 0 && has_sizes(fit))
    of_work = ", f in " + fitted.series.work_unit;
  else if (has_sizes(fit))
    of_work = ", f = 1";
  std::string text =
      fmt::format("{} = {}{}; each time left out in turn, it misses them least, by {:.2f} %\n\n",
                  fit.form.sweep == Sweep::sizes_and_ranks ? "T(n, N)" : "T(N)", formula(fit.form),
                  of_work, 100 * fit.constants.left_out_residual);
  Rows rows = {{"constant", "value", "[95 %]"}};
  const auto add = [&](const char* name, const Quantity& of) {
    rows.push_back(
        {name, fmt::format("{:.4g}", of.value), fmt::format("[{:.4g}, {:.4g}]", of.low, of.high)});
  };
  add(has_sizes(fit) ? "t0, start-up, s" : "t0, on the fewest ranks, s", fit.start_up_s());
  if (fit.serial_place() >= 0) add("s, serial part, s", fit.serial_s());
  if (fit.parallel_place() >= 0) add("p, parallel part, s for each of f", fit.parallel_s());
  if (const auto own = fit.parallel_efficiency()) add("Ep, of N ranks' rate", *own);
  if (fit.overhead_place() >= 0) add("o, overhead, s", fit.overhead_s());
  text += table_text(rows);
  text += fmt::format(" off by {:.2f} % (rms), {:.2f} % at most, in what was fitted\n",
                      100 * fit.constants.rms_residual, 100 * fit.constants.largest_residual);
  for (const std::string& note : fit.fitted_together)
    text += fmt::format(" ! cannot be told apart: {}\n", note);
  return text;
}

std::string sizes_table(const FittedSeries& fitted) {
  if (!has_sizes(fitted.whole)) return "";
  const bool has_peak = fitted.series.peak_per_s && fitted.series.points.front().whole.work > 0;
  Rows rows = {{"n", "T on 1", "P %", "[95 %]", "1/(1-P)", "[95 %]", "best ranks", "speed-up there",
                fmt::format("within {:g} % from", 100 * fitted.within)}};
  if (has_peak) rows.front().insert(rows.front().begin() + 2, {"Es %", "[95 %]"});
  bool above_peak = false;
  for (const TimedPoint* point : sizes_of(fitted.series)) {
    const SizeFindings size(fitted, *point);
    const double speed_up = size.one_rank_s / size.best.seconds;
    rows.push_back({point->size, time_text(size.one_rank_s), percent(size.fraction.value),
                    percent_interval(size.fraction), plain(size.bound.value),
                    plain_interval(size.bound),
                    size.best.ranks ? ranks_text(*size.best.ranks) : "all",
                    size.best.near_ranks > 0 ? plain(speed_up) : "unbounded",
                    size.best.near_ranks > 0 ? ranks_text(size.best.near_ranks) : "-"});
    if (const auto own = efficiency(fitted, size)) {
      rows.back().insert(rows.back().begin() + 2, {percent(own->value), percent_interval(*own)});
      above_peak |= own->value > 1;
    }
  }
  return table_text(rows) + "\n" +
         (above_peak ? " Es above 100 %: from a cache, or the peak was calibrated slower than now "
                       "(--peak)\n"
                     : "");
}

std::string points_table(const FittedSeries& fitted) {
  Rows rows = {{"n", "ranks", "measured", "fitted", "[95 %]", "error", ""}};
  for (const std::size_t place : order_of(fitted.series.points)) {
    const TimedPoint& point = fitted.series.points[place];
    const Quantity fit = predicted(fitted, point);
    rows.push_back({point.size, std::to_string(point.whole.ranks), time_text(point.whole.seconds),
                    time_text(fit.value), interval_text(fit.value, fit.low, fit.high),
                    signed_percent(fit.value / point.whole.seconds - 1),
                    fitted.held_out[place] ? "held out" : ""});
  }
  for (const auto& [largest, ranks, fit] : beyond(fitted))
    rows.push_back({has_sizes(fitted.whole) ? largest->size : "-", ranks_text(ranks), "-",
                    time_text(fit.value), interval_text(fit.value, fit.low, fit.high), "-", ""});
  return table_text(rows);
}

std::string phases_table(const FittedSeries& fitted) {
  Rows rows = {{"phase", "T on 1", "P %", "[95 %]", "t0", "off by", "form"}};
  const TimedPoint& largest = *sizes_of(fitted.series).back();
  for (const PhaseOfSeries& phase : fitted.phases) {
    if (!phase.fit) continue;
    const ScalingFit& fit = *phase.fit;
    ScalingSample sample = largest.whole;
    for (const auto& [name, own] : largest.phases)
      if (name == phase.phase) sample = own;
    const double work = fit.work(sample);
    const bool splits = phase.on_one_rank && has_sizes(fit);
    const Quantity fraction = splits ? fit.parallel_fraction(work) : Quantity{};
    rows.push_back({phase.phase, phase.on_one_rank ? time_text(fit.seconds(work, 1)) : "-",
                    splits ? percent(fraction.value) : "-",
                    splits               ? percent_interval(fraction)
                    : !phase.on_one_rank ? "communication"
                                         : "-",
                    time_text(fit.start_up_s().value),
                    fmt::format("{:.1f} %", 100 * fit.constants.rms_residual), formula(fit.form)});
  }
  std::string text;
  if (rows.size() > 1)
    text = fmt::format("\nphases, at n = {}\n{}", largest.size, table_text(rows));
  for (const PhaseOfSeries& phase : fitted.phases)
    if (!phase.fit) text += fmt::format(" not fitted: {}\n", phase.not_fitted);
  return text;
}

}  // namespace

FittedSeries fit_series(TimedSeries series, const HoldOut& hold_out, double within) {
  FittedSeries fitted;
  fitted.held_out = hold_out.of(series.points);
  fitted.within = within;
  std::vector<ScalingSample> whole;
  std::map<std::string, std::vector<ScalingSample>> phases;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < series.points.size(); ++k) {
    if (fitted.held_out[k]) continue;
    whole.push_back(series.points[k].whole);
    for (const auto& [name, sample] : series.points[k].phases) {
      if (phases.count(name) == 0) names.push_back(name);
      phases[name].push_back(sample);
    }
  }
  fitted.whole = fit_scaling(whole, fmt::format("fit of {} points", whole.size()));
  for (const std::string& name : names) {
    PhaseOfSeries phase{name, {}, {}, false};
    const std::vector<ScalingSample>& samples = phases.at(name);
    phase.on_one_rank = std::any_of(samples.begin(), samples.end(),
                                    [](const ScalingSample& one) { return one.ranks == 1; });
    try {
      phase.fit = fit_scaling(samples, name);
    } catch (const BadInput& error) {
      phase.not_fitted = error.what();
    }
    fitted.phases.push_back(std::move(phase));
  }
  fitted.series = std::move(series);
  return fitted;
}

json to_json(const FittedSeries& fitted, bool curves) {
  const TimedSeries& series = fitted.series;
  json document = {{"app", series.app.empty() ? json(nullptr) : json(series.app)},
                   {"fixed", series.fixed},
                   {"work_unit", series.work_unit},
                   {"passed_over", series.passed_over},
                   {"form", form_json(fitted.whole.form)},
                   {"constants", constants_json(fitted.whole)},
                   {"fitted_together", fitted.whole.fitted_together},
                   {"within", fitted.within},
                   {"sizes", json::array()},
                   {"points", json::array()},
                   {"phases", json::array()}};
  const auto sizes =
      has_sizes(fitted.whole) ? sizes_of(fitted.series) : std::vector<const TimedPoint*>{};
  for (const TimedPoint* point : sizes) {
    const SizeFindings size(fitted, *point);
    json& one = document["sizes"].emplace_back(json{
        {"size", point->size},
        {"n", point->whole.size},
        {"work", size.work},
        {"one_rank_s", size.one_rank_s},
        {"parallel_fraction", to_json(size.fraction)},
        {"speed_up_bound", to_json(size.bound)},
        {"rate_per_s", to_json(size.rate)},
        {"best_ranks", size.best.ranks ? json(*size.best.ranks) : json(nullptr)},
        {"best_s", size.best.seconds},
        {"near_ranks", size.best.near_ranks > 0 ? json(size.best.near_ranks) : json(nullptr)}});
    if (const auto own = efficiency(fitted, size)) one["efficiency"] = to_json(*own);
    if (curves)
      document["curves"].push_back(
          curve_json(fitted, point->size, size.work, 1, size.best.ranks.value_or(1)));
  }
  if (curves && !has_sizes(fitted.whole))
    document["curves"].push_back(curve_json(fitted, "", 1, fitted.whole.form.first_ranks, 1));
  for (std::size_t k = 0; k < series.points.size(); ++k) {
    const TimedPoint& point = series.points[k];
    const Quantity fit = predicted(fitted, point);
    document["points"].push_back({{"size", point.size},
                                  {"n", point.whole.size},
                                  {"ranks", point.whole.ranks},
                                  {"measured_s", point.whole.seconds},
                                  {"fitted_s", fit.value},
                                  {"low_s", fit.low},
                                  {"high_s", fit.high},
                                  {"error", fit.value / point.whole.seconds - 1},
                                  {"held_out", static_cast<bool>(fitted.held_out[k])}});
  }
  for (const auto& [largest, ranks, fit] : beyond(fitted))
    document["beyond"].push_back({{"size", has_sizes(fitted.whole) ? json(largest->size) : json()},
                                  {"ranks", ranks},
                                  {"fitted_s", fit.value},
                                  {"low_s", fit.low},
                                  {"high_s", fit.high}});
  for (const PhaseOfSeries& phase : fitted.phases) {
    json one = {{"phase", phase.phase}, {"on_one_rank", phase.on_one_rank}};
    if (phase.fit) {
      one["form"] = form_json(phase.fit->form);
      one["constants"] = constants_json(*phase.fit);
    } else {
      one["not_fitted"] = phase.not_fitted;
    }
    document["phases"].push_back(std::move(one));
  }
  return document;
}

std::string fit_table(const FittedSeries& fitted) {
  return head(fitted) + constants_table(fitted) + "\n" + sizes_table(fitted) +
         points_table(fitted) + phases_table(fitted);
}

}  // namespace bellwether
