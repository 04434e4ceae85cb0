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
  switch (growth) {
    case OverheadGrowth::none:
      return 0;
    case OverheadGrowth::constant:
      return ranks > 1 ? 1 : 0;
    case OverheadGrowth::tree:
      return std::log2(ranks);
    case OverheadGrowth::cube_root:
      return std::cbrt(ranks);
    case OverheadGrowth::square_root:
      return std::sqrt(ranks);
    case OverheadGrowth::linear:
      return ranks;
  }
  return 0;
}

int constants_of(const ScalingForm& form) {
  int count = 1;
  if (form.sweep == Sweep::sizes_and_ranks) count = form.own_efficiency ? 4 : 3;
  if (form.sweep == Sweep::one_size) count = 2;
  return count + (form.growth != OverheadGrowth::none ? 1 : 0);
}
int place_of_serial(const ScalingForm& form) {
  return form.sweep == Sweep::sizes_and_ranks ? 1 : -1;
}
int place_of_parallel(const ScalingForm& form) {
  if (form.sweep == Sweep::constant_share) return -1;
  return form.sweep == Sweep::one_size ? 1 : 2;
}
int place_of_efficiency(const ScalingForm& form) { return form.own_efficiency ? 3 : -1; }
int place_of_overhead(const ScalingForm& form) {
  return form.growth == OverheadGrowth::none ? -1 : constants_of(form) - 1;
}

/// What each constant is multiplied with.
Gradient factors_of(const ScalingForm& form, double work, double ranks) {
  Gradient factors{};
  const auto set = [&factors](int place, double factor) {
    if (place >= 0) factors[static_cast<std::size_t>(place)] = factor;
  };
  set(0, 1);
  set(place_of_serial(form), std::pow(work, form.serial_exponent));
  const bool other = form.own_efficiency && ranks > 1;
  set(other ? place_of_efficiency(form) : place_of_parallel(form), work / ranks);
  const double growth = growth_of(form.growth, ranks) - growth_of(form.growth, form.first_ranks);
  set(place_of_overhead(form), std::max(0., growth) * std::pow(work, form.overhead_exponent));
  return factors;
}

double work_of(const ScalingForm& form, const ScalingSample& sample) {
  if (form.work_exponent > 0) return std::pow(sample.size, form.work_exponent);
  return sample.work > 0 ? sample.work : 1;
}

constexpr double work_exponents[] = {1, 1.5, 2, 2.5, 3, 4};

/// What the samples' sizes, ranks and work make of them; constant_share where each rank has nearly
/// the same work, known or a power of the size.
Sweep sweep_of(std::span<const ScalingSample> samples, bool has_work) {
  // Between largest and least: meshes are cut in whole cells.
  constexpr double nearly = 1.2;
  const auto spread = [samples](const auto& value) {
    double least = infinite, most = 0;
    for (const ScalingSample& sample : samples) {
      least = std::min(least, value(sample));
      most = std::max(most, value(sample));
    }
    return most / least;
  };
  for (const double exponent : work_exponents) {
    const auto share = [&](const ScalingSample& one) {
      return (has_work ? one.work : std::pow(one.size, exponent)) / one.ranks;
    };
    if (spread(share) < nearly) return Sweep::constant_share;
  }
  const bool one_size = spread([](const ScalingSample& one) { return one.size; }) == 1;
  const bool one_work =
      !has_work || spread([](const ScalingSample& one) { return one.work; }) < nearly;
  return one_size && one_work ? Sweep::one_size : Sweep::sizes_and_ranks;
}

/// What of the samples says which forms they can bear out.
struct Known {
  std::set<int> ranks;
  bool has_work = false;
  Sweep sweep = Sweep::sizes_and_ranks;

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
    known.ranks.insert(sample.ranks);
    with_work += sample.work > 0 ? 1 : 0;
  }
  known.has_work = with_work == samples.size();
  if (with_work > 0 && !known.has_work)
    throw BadInput(fmt::format("{}: found the work of {} of {} times, expected that of all or none",
                               what, with_work, samples.size()));
  if (known.ranks.size() == 1)
    throw BadInput(
        fmt::format("{}: found times of {} rank{} alone, expected at least two rank counts: serial "
                    "and parallel parts cannot be told apart",
                    what, *known.ranks.begin(), *known.ranks.begin() == 1 ? "" : "s"));
  known.sweep = sweep_of(samples, known.has_work);
  return known;
}

constexpr OverheadGrowth growths_of_many[] = {OverheadGrowth::tree, OverheadGrowth::cube_root,
                                              OverheadGrowth::square_root};

/// Of times of one size or one share, the simple ones first.
std::vector<ScalingForm> forms_of_one(const Known& known) {
  std::vector<ScalingForm> forms;
  for (const Sweep sweep : {Sweep::constant_share, Sweep::one_size}) {
    if (sweep == Sweep::constant_share ? known.sweep != sweep && known.has_work
                                       : known.sweep != sweep)
      continue;
    forms.push_back({.sweep = sweep});
    for (const OverheadGrowth growth : growths_of_many)
      if (growth == OverheadGrowth::tree || known.ranks.size() > 2)
        forms.push_back({.sweep = sweep, .growth = growth, .first_ranks = *known.ranks.begin()});
  }
  return forms;
}

/// In the order in which they are tried: the simple ones first.
std::vector<ScalingForm> forms_for(const Known& known) {
  if (known.sweep != Sweep::sizes_and_ranks) return forms_of_one(known);
  const std::size_t parallel = known.parallel_counts();
  const bool tells_efficiency = known.ranks.count(1) > 0 && parallel > 1;
  std::vector<OverheadGrowth> growths = {OverheadGrowth::tree};
  if (parallel > 1) {
    growths = {OverheadGrowth::constant};
    growths.insert(growths.end(), std::begin(growths_of_many), std::end(growths_of_many));
    growths.push_back(OverheadGrowth::linear);
  }
  std::vector<double> works = {0};
  if (!known.has_work) works = {std::begin(work_exponents), std::end(work_exponents)};
  std::vector<ScalingForm> forms;
  for (int richness = 0; richness <= 2; ++richness)
    for (const double work : works)
      for (const double serial : {1., 2. / 3, 1. / 3})
        for (const bool efficiency : {false, true}) {
          if (efficiency && !tells_efficiency) continue;
          ScalingForm form{
              .work_exponent = work, .serial_exponent = serial, .own_efficiency = efficiency};
          if (richness == (efficiency ? 1 : 0)) forms.push_back(form);
          if (richness != (efficiency ? 2 : 1)) continue;
          for (const OverheadGrowth growth : growths)
            for (const double exponent : {0., 1. / 3, 2. / 3}) {
              form.growth = growth;
              form.overhead_exponent = exponent;
              forms.push_back(form);
            }
        }
  return forms;
}

void note_together(const Known& known, ScalingFit& fit) {
  std::vector<std::string>& notes = fit.fitted_together;
  const int first = fit.form.first_ranks;
  if (fit.form.sweep == Sweep::constant_share) {
    notes.push_back(fmt::format(
        "start-up, serial and parallel part: t0 has them all, on {} rank{}, since each rank has {}",
        first, first == 1 ? "" : "s",
        known.sweep == Sweep::constant_share ? "the same work"
                                             : "the same work, if times do not fall with N"));
  } else if (fit.form.sweep == Sweep::one_size) {
    notes.push_back("start-up and serial part: t0 has both, since all times are of one size");
  } else if (known.ranks.count(1) == 0) {
    notes.push_back("E_p and p: their quotient stands as p, since no time is of one rank");
  } else if (known.parallel_counts() == 1) {
    notes.push_back(
        fmt::format("E_p and s: E_p is taken as 1, since all times are of 1 and {} ranks",
                    *known.ranks.rbegin()));
  }
  const bool growth_told = fit.form.sweep == Sweep::sizes_and_ranks ? known.parallel_counts() > 1
                                                                    : known.ranks.size() > 2;
  if (fit.form.growth != OverheadGrowth::none && !growth_told)
    notes.push_back(
        "how the overhead grows with N: taken as log2 N, since all times are of two "
        "rank counts");
}

}  // namespace

int ScalingFit::serial_place() const { return place_of_serial(form); }
int ScalingFit::parallel_place() const { return place_of_parallel(form); }
int ScalingFit::efficiency_place() const { return place_of_efficiency(form); }
int ScalingFit::overhead_place() const { return place_of_overhead(form); }

Quantity ScalingFit::constant(int place) const {
  return place < 0 ? Quantity{} : constants.coefficients[static_cast<std::size_t>(place)];
}

double ScalingFit::work(const ScalingSample& sample) const { return work_of(form, sample); }

double ScalingFit::seconds(double work, double ranks) const {
  return constants.seconds({factors_of(form, work, ranks), 0});
}

Quantity ScalingFit::predicted_s(double work, double ranks) const {
  const double value = seconds(work, ranks);
  const double doublings = std::max(0., std::log2(ranks / most_ranks));
  const double half = std::hypot(constants.half_width(factors_of(form, work, ranks)),
                                 value * constants.scatter * std::sqrt(1 + doublings));
  return {value, std::max(0., value - half), value + half, {}};
}

std::optional<Quantity> ScalingFit::parallel_efficiency() const {
  const int place = efficiency_place();
  if (place < 0) return {};
  const double one = parallel_s().value;
  const double many = constant(place).value;
  if (!(many > 0) || !(one > 0)) return {};
  Gradient gradient{};
  gradient[static_cast<std::size_t>(parallel_place())] = 1 / many;
  gradient[static_cast<std::size_t>(place)] = -one / many / many;
  const double half = constants.half_width(gradient);
  return Quantity{one / many, std::max(0., one / many - half), one / many + half, {}};
}

Gradient ScalingFit::rest_factors(double work) const {
  Gradient factors{1};
  if (serial_place() >= 0)
    factors[static_cast<std::size_t>(serial_place())] = std::pow(work, form.serial_exponent);
  return factors;
}

Quantity ScalingFit::rate_per_s(double work) const {
  Gradient gradient = rest_factors(work);
  // Of one size the start-up has the serial part.
  if (form.sweep == Sweep::sizes_and_ranks) gradient[0] = 0;
  gradient[static_cast<std::size_t>(parallel_place())] = work;
  for (double& factor : gradient) factor /= work;
  const double cost = constants.seconds({gradient, 0});
  // Where time does not grow with work, such that it spends a millionth on it, as a bandwidth.
  const double least = std::max(1e-6 * cost, 1e-6 * start_up_s().value / work);
  const double half = constants.half_width(gradient);
  return {1 / std::max(cost, least), 1 / (cost + half), 1 / std::max(cost - half, least), {}};
}

Quantity ScalingFit::serial_to_parallel(double work) const {
  const double parallel = parallel_s().value * work;
  Gradient gradient = rest_factors(work);
  const double rest = constants.seconds({gradient, 0});
  if (!(parallel > 0)) return {infinite, rest / (parallel_s().high * work), infinite, {}};
  const double ratio = rest / parallel;
  for (double& factor : gradient) factor /= parallel;
  gradient[static_cast<std::size_t>(parallel_place())] = -ratio / parallel_s().value;
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
  const bool rises = form.growth != OverheadGrowth::constant && overhead_s().value > 0;
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
    constexpr double noise = 1e-4;  // relative misses below this count as none
    const double missed = std::hypot(fit->left_out_residual, noise);
    if (least && !(missed < *least)) continue;
    least = missed;
    chosen.form = form;
    chosen.constants = *fit;
  }
  if (!least)
    throw BadInput(
        fmt::format("{}: these sizes and rank counts cannot tell start-up time, serial and "
                    "parallel part apart; measure more of them",
                    what));
  chosen.most_ranks = *known.ranks.rbegin();
  note_together(known, chosen);
  return chosen;
}

}  // namespace bellwether
