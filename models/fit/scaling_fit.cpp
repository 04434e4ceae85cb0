// SPDX-License-Identifier: MIT
#include "models/fit/scaling_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using Gradient = std::array<double, most_coefficients>;

constexpr std::size_t fewest_of_a_series = 4;
constexpr double infinite = std::numeric_limits<double>::infinity();

double growth_of(OverheadGrowth growth, double ranks) {
  if (ranks <= 1) return 0;
  switch (growth) {
    case OverheadGrowth::none:
      return 0;
    case OverheadGrowth::constant:
      return 1;
    case OverheadGrowth::tree:
      return std::log2(ranks);
    case OverheadGrowth::linear:
      return ranks - 1;
  }
  return 0;
}

int place_of_efficiency(const ScalingForm& form) { return form.own_efficiency ? 3 : -1; }
int place_of_overhead(const ScalingForm& form) {
  if (form.growth == OverheadGrowth::none) return -1;
  return form.own_efficiency ? 4 : 3;
}
int constants_of(const ScalingForm& form) {
  return 3 + (form.own_efficiency ? 1 : 0) + (form.growth != OverheadGrowth::none ? 1 : 0);
}

/// What each constant is multiplied with: t_0, s, p (of one rank where E_p is fitted), p / E_p, o.
Gradient factors_of(const ScalingForm& form, double work, double ranks) {
  Gradient factors{};
  factors[0] = 1;
  factors[1] = std::pow(work, form.serial_exponent);
  const bool other = form.own_efficiency && ranks > 1;
  factors[other ? 3 : 2] = work / ranks;
  if (const int place = place_of_overhead(form); place >= 0)
    factors[static_cast<std::size_t>(place)] =
        growth_of(form.growth, ranks) * std::pow(work, form.overhead_exponent);
  return factors;
}

double work_of(const ScalingForm& form, const ScalingSample& sample) {
  return form.work_exponent > 0 ? std::pow(sample.size, form.work_exponent) : sample.work;
}

/// Akaike's criterion for few samples; infinite where there are too few.
double criterion(const NonnegativeFit& fit, std::size_t samples, int constants) {
  constexpr double noise = 1e-4;  // relative residuals below this count as none
  const auto n = static_cast<double>(samples);
  const double k = constants + 1;  // and the scatter
  if (n <= k + 1) return infinite;
  const double squares = fit.rms_residual * fit.rms_residual * (n - constants);
  return n * std::log(squares / n + noise * noise) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

/// What of the samples says which forms they can bear out.
struct Known {
  std::set<double> sizes;
  std::set<int> ranks;
  bool has_work = false;

  [[nodiscard]] std::size_t parallel_counts() const { return ranks.size() - ranks.count(1); }
};

Known check(std::span<const ScalingSample> samples, const std::string& what) {
  if (samples.size() < fewest_of_a_series)
    throw BadInput(fmt::format("{}: found {} measured time{}, expected at least {}", what,
                               samples.size(), samples.size() == 1 ? "" : "s", fewest_of_a_series));
  Known known;
  std::size_t with_work = 0;
  for (const ScalingSample& sample : samples) {
    const auto good = [](double value) { return std::isfinite(value) && value > 0; };
    if (!good(sample.size) || sample.ranks < 1 || !good(sample.seconds) ||
        (sample.work != 0 && !good(sample.work)))
      throw BadInput(
          fmt::format("{}: found size {:g}, {} ranks, {:g} s, work {:g}; expected all above 0 and "
                      "finite",
                      what, sample.size, sample.ranks, sample.seconds, sample.work));
    known.sizes.insert(sample.size);
    known.ranks.insert(sample.ranks);
    with_work += sample.work > 0 ? 1 : 0;
  }
  known.has_work = with_work == samples.size();
  if (with_work > 0 && !known.has_work)
    throw BadInput(fmt::format("{}: found the work of {} of {} times, expected that of all or none",
                               what, with_work, samples.size()));
  if (known.sizes.size() == 1)
    throw BadInput(
        fmt::format("{}: found one size alone, {:g}, expected at least two: start-up time and work "
                    "cannot be told apart",
                    what, *known.sizes.begin()));
  if (known.ranks.size() == 1)
    throw BadInput(
        fmt::format("{}: found times of {} rank{} alone, expected at least two rank counts: serial "
                    "and parallel parts cannot be told apart",
                    what, *known.ranks.begin(), *known.ranks.begin() == 1 ? "" : "s"));
  return known;
}

/// In the order in which they are tried: the simple ones first.
std::vector<ScalingForm> forms_for(const Known& known) {
  const std::size_t parallel = known.parallel_counts();
  const bool tells_efficiency = known.ranks.count(1) > 0 && parallel > 1;
  std::vector<OverheadGrowth> growths = {OverheadGrowth::tree};
  if (parallel > 1)
    growths = {OverheadGrowth::constant, OverheadGrowth::tree, OverheadGrowth::linear};
  std::vector<double> works = {0};
  if (!known.has_work) works = {1, 1.5, 2, 2.5, 3, 4};
  std::vector<ScalingForm> forms;
  for (int richness = 0; richness <= 2; ++richness)
    for (const double work : works)
      for (const double serial : {1., 2. / 3, 1. / 3})
        for (const bool efficiency : {false, true}) {
          if (efficiency && !tells_efficiency) continue;
          if (richness == (efficiency ? 1 : 0))
            forms.push_back({work, serial, efficiency, OverheadGrowth::none, 0});
          if (richness != (efficiency ? 2 : 1)) continue;
          for (const OverheadGrowth growth : growths)
            for (const double overhead : {0., 1. / 3, 2. / 3})
              forms.push_back({work, serial, efficiency, growth, overhead});
        }
  return forms;
}

void note_together(const Known& known, ScalingFit& fit) {
  if (known.ranks.count(1) == 0) {
    fit.fitted_together.push_back(
        "E_p and p: their quotient stands as p, since no time is of one rank");
    return;
  }
  if (known.parallel_counts() > 1) return;
  fit.fitted_together.push_back(
      fmt::format("E_p and s: E_p is taken as 1, since all times are of 1 and {} ranks",
                  *known.ranks.rbegin()));
  if (fit.form.growth != OverheadGrowth::none)
    fit.fitted_together.push_back(
        "how the overhead grows with N: taken as log2 N, for the same reason");
}

}  // namespace

int ScalingFit::efficiency_place() const { return place_of_efficiency(form); }
int ScalingFit::overhead_place() const { return place_of_overhead(form); }

double ScalingFit::work(const ScalingSample& sample) const { return work_of(form, sample); }

double ScalingFit::seconds(double work, double ranks) const {
  return constants.seconds({factors_of(form, work, ranks), 0});
}

std::optional<Quantity> ScalingFit::overhead_s() const {
  const int place = overhead_place();
  if (place < 0) return {};
  return constants.coefficients[static_cast<std::size_t>(place)];
}

std::optional<Quantity> ScalingFit::parallel_efficiency() const {
  const int place = efficiency_place();
  if (place < 0) return {};
  const double one = parallel_s().value;
  const double many = constants.coefficients[static_cast<std::size_t>(place)].value;
  if (!(many > 0) || !(one > 0)) return {};
  Gradient gradient{};
  gradient[2] = 1 / many;
  gradient[static_cast<std::size_t>(place)] = -one / many / many;
  const double half = constants.half_width(gradient);
  return Quantity{one / many, std::max(0., one / many - half), one / many + half, {}};
}

Quantity ScalingFit::rate_per_s(double work) const {
  const double share = std::pow(work, form.serial_exponent - 1);
  const double cost = serial_s().value * share + parallel_s().value;
  Gradient gradient{};
  gradient[1] = share;
  gradient[2] = 1;
  // Where time does not grow with work, such that it spends a millionth on it, as a bandwidth.
  const double least = std::max(1e-6 * cost, 1e-6 * start_up_s().value / work);
  const double half = constants.half_width(gradient);
  return {1 / std::max(cost, least), 1 / (cost + half), 1 / std::max(cost - half, least), {}};
}

Quantity ScalingFit::serial_to_parallel(double work) const {
  const double parallel = parallel_s().value * work;
  const double power = std::pow(work, form.serial_exponent);
  const double rest = start_up_s().value + serial_s().value * power;
  if (!(parallel > 0)) return {infinite, rest / (parallel_s().high * work), infinite, {}};
  const double ratio = rest / parallel;
  Gradient gradient{};
  gradient[0] = 1 / parallel;
  gradient[1] = power / parallel;
  gradient[2] = -ratio / parallel_s().value;
  const double half = constants.half_width(gradient);
  return {ratio, std::max(0., ratio - half), ratio + half, {}};
}

Quantity ScalingFit::parallel_fraction(double work) const {
  const Quantity ratio = serial_to_parallel(work);
  return {1 / (1 + ratio.value), 1 / (1 + ratio.high), 1 / (1 + ratio.low), {}};
}

Quantity ScalingFit::speed_up_bound(double work) const {
  const Quantity ratio = serial_to_parallel(work);
  return {1 + 1 / ratio.value, 1 + 1 / ratio.high, 1 + 1 / ratio.low, {}};
}

BestRanks ScalingFit::best_ranks(double work, double within) const {
  constexpr double most = 1 << 30;
  const auto at = [&](double ranks) { return seconds(work, ranks); };
  // The first count from `low` to `high` of which `holds` is true, as it then is of all further.
  const auto first = [](double low, double high, const auto& holds) {
    while (low < high) {
      const double middle = std::floor((low + high) / 2);
      if (holds(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  BestRanks best;
  const std::optional<Quantity> overhead = overhead_s();
  const bool rises = form.growth != OverheadGrowth::constant && overhead && overhead->value > 0;
  if (rises) {
    // On two ranks and more the time falls and then rises.
    best.ranks = first(2, most, [&](double ranks) { return at(ranks + 1) >= at(ranks); });
    best.seconds = at(*best.ranks);
  } else {
    best.seconds = at(most);
  }
  if (at(1) <= best.seconds) return {1, at(1), 1};
  // Nothing but the parallel part: there is nothing to come near to.
  if (!rises && best.seconds <= 2 * at(1) / most) return best;
  const double end = best.ranks.value_or(most);
  const double near = (1 + within) * best.seconds;
  if (at(1) <= near)
    best.near_ranks = 1;
  else if (at(end) <= near)
    best.near_ranks = first(2, end, [&](double ranks) { return at(ranks) <= near; });
  return best;
}

ScalingFit fit_scaling(std::span<const ScalingSample> samples, const std::string& what) {
  const Known known = check(samples, what);
  ScalingFit chosen;
  std::optional<double> least;
  std::vector<FitRow> rows(samples.size());
  for (const ScalingForm& form : forms_for(known)) {
    const int constants = constants_of(form);
    if (rows.size() <= static_cast<std::size_t>(constants)) continue;
    for (std::size_t n = 0; n < rows.size(); ++n)
      rows[n] = {factors_of(form, work_of(form, samples[n]), samples[n].ranks), samples[n].seconds};
    const std::optional<NonnegativeFit> fit = solve_nonnegative(rows, constants);
    if (!fit) continue;
    const double value = criterion(*fit, rows.size(), constants);
    constexpr double better = 2;
    const bool richer = least && constants > constants_of(chosen.form);
    if (least && !(value < *least - (richer ? better : 0))) continue;
    least = value;
    chosen.form = form;
    chosen.constants = *fit;
  }
  if (!least)
    throw BadInput(
        fmt::format("{}: these sizes and rank counts cannot tell start-up time, serial and "
                    "parallel part apart; measure more of them",
                    what));
  chosen.samples = static_cast<int>(samples.size());
  note_together(known, chosen);
  return chosen;
}

}  // namespace bellwether
