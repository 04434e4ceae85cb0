// SPDX-License-Identifier: MIT
#include "models/cholesky/phase_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/cholesky/efficiency_model.hpp"
#include "models/errors.hpp"
#include "models/fit/nonnegative_fit.hpp"

namespace bellwether {
namespace {

using Samples = std::vector<PhaseSample>;

template <class Predicate>
Samples select(std::span<const PhaseSample> samples, Predicate wanted) {
  Samples chosen;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(chosen), wanted);
  return chosen;
}

template <class Factors>
NonnegativeFit fit(const Samples& samples, const std::vector<std::string>& names,
                   const std::string& what, Factors factors) {
  std::vector<FitRow> rows;
  for (const PhaseSample& sample : samples) rows.push_back({factors(sample), sample.seconds});
  return fit_nonnegative(rows, names, what);
}

/// 1 / cost, finite: where time does not grow with work, such that the largest spends a millionth
/// of its time on it, as a link's bandwidth.
Quantity rate_of(const Quantity& cost, const Samples& samples) {
  constexpr double least_share = 1e-6;
  double least = 0;
  for (const PhaseSample& sample : samples)
    if (sample.work > 0) least = std::max(least, least_share * sample.seconds / sample.work);
  const auto rate = [&](double seconds) { return 1 / std::max(seconds, least); };
  return {rate(cost.value), rate(cost.high), rate(cost.low), {}};
}

void add_residuals(const NonnegativeFit& from, PhaseFit& to) {
  to.rms_residual = std::max(to.rms_residual, from.rms_residual);
  to.largest_residual = std::max(to.largest_residual, from.largest_residual);
}

/// Eq. 1 or 3.
void fit_one_processor(const Samples& samples, const char* start_up, const char* rate,
                       const std::string& what, PhaseFit& result) {
  const NonnegativeFit fitted = fit(samples, {start_up, rate}, what, [](const PhaseSample& one) {
    return std::array{one.starts, one.work, 0.0};
  });
  result.start_up_s = fitted.coefficients[0];
  result.rate_per_s = rate_of(fitted.coefficients[1], samples);
  add_residuals(fitted, result);
}

/// Eq. 2 with t_1 of the fit of Eq. 1.
void fit_many_processors(const Samples& samples, const std::string& what, PhaseFit& result) {
  const auto left_out = std::count_if(samples.begin(), samples.end(),
                                      [](const PhaseSample& one) { return one.without_overhead; });
  const bool apart = left_out > 0 && left_out < static_cast<long>(samples.size());
  std::vector<std::string> names{"t_p0", "1/E_p"};
  if (apart) names.emplace_back("t_povh");
  const NonnegativeFit fitted = fit(samples, names, what, [&](const PhaseSample& one) {
    return std::array{one.parallel_starts, result.one_processor_s(one) / one.ranks,
                      apart && !one.without_overhead ? one.parallel_starts : 0.0};
  });
  const Quantity& inverse = fitted.coefficients[1];
  if (!(inverse.value > 0))
    throw BadInput(
        fmt::format("{}: the time does not fall with the rank count; expected a phase "
                    "that the ranks share (or give its role as serial)",
                    what));
  result.parallel_start_up_s = fitted.coefficients[0];
  const double least = 1e-6 * inverse.value;  // keeps the interval's upper end finite
  result.parallel_efficiency =
      Quantity{1 / inverse.value, 1 / inverse.high, 1 / std::max(inverse.low, least), {}};
  if (apart)
    result.overhead_s = fitted.coefficients[2];
  else if (left_out == 0)
    result.fitted_together.push_back(
        "t_p0 and t_povh: their sum stands as t_p0, since no sample was timed without overhead");
  add_residuals(fitted, result);
}

/// Eq. 2 without any time on one rank.
void fit_product(const Samples& samples, const std::string& what, PhaseFit& result) {
  const NonnegativeFit fitted =
      fit(samples, {"t_p0", "t_s0/E_p", "1/(R_a E_s E_p)"}, what, [](const PhaseSample& one) {
        return std::array{one.parallel_starts, one.starts / one.ranks, one.work / one.ranks};
      });
  result.parallel_start_up_s = fitted.coefficients[0];
  result.start_up_s = fitted.coefficients[1];
  result.rate_per_s = rate_of(fitted.coefficients[2], samples);
  result.parallel_efficiency = Quantity::exact(1);
  result.fitted_together = {
      "E_s and E_p: their product stands as E_s, with t_s0/E_p as t_s0, since no sample is of one "
      "rank",
      "t_p0 and t_povh: their sum stands as t_p0"};
  add_residuals(fitted, result);
}

}  // namespace

double PhaseFit::one_processor_s(const PhaseSample& sample) const {
  return sample.starts * start_up_s.value + sample.work / rate_per_s.value;
}

double PhaseFit::seconds(const PhaseSample& sample) const {
  const double one = one_processor_s(sample);
  if (role != PhaseRole::parallel || sample.ranks == 1) return one;
  const double overhead = overhead_s && !sample.without_overhead ? overhead_s->value : 0;
  const double constant = parallel_start_up_s ? parallel_start_up_s->value : 0;
  const double share = parallel_efficiency ? parallel_efficiency->value : 1;
  return sample.parallel_starts * (constant + overhead) + one / (sample.ranks * share);
}

PhaseFit fit_phase(std::span<const PhaseSample> samples, PhaseRole role, double peak_per_s) {
  if (samples.empty()) throw BadInput("phase fit: found no samples, expected at least three");
  PhaseFit result;
  result.phase = samples.front().phase;
  result.role = role;
  for (const PhaseSample& sample : samples) {
    if (sample.phase != result.phase)
      throw BadInput(fmt::format("phase fit: found samples of {} and {}, expected one phase",
                                 result.phase, sample.phase));
    if (sample.ranks < 1)
      throw BadInput(
          fmt::format("phase {}: found {} ranks, expected at least 1", sample.phase, sample.ranks));
  }
  const std::string what = "phase " + result.phase;
  const Samples one = select(samples, [](const auto& sample) { return sample.ranks == 1; });
  const Samples many = select(samples, [](const auto& sample) { return sample.ranks > 1; });
  switch (role) {
    case PhaseRole::serial:
      fit_one_processor({samples.begin(), samples.end()}, "t_s0", "1/(R_a E_s)", what, result);
      break;
    case PhaseRole::communication:
      fit_one_processor(many, "t_c0", "1/(R_c E_c)", what, result);
      break;
    case PhaseRole::parallel:
      if (one.empty()) {
        fit_product(many, what, result);
        break;
      }
      fit_one_processor(one, "t_s0", "1/(R_a E_s)", what + " on one rank", result);
      if (!many.empty()) fit_many_processors(many, what + " on several ranks", result);
      break;
  }
  if (peak_per_s > 0)
    result.efficiency = Quantity{result.rate_per_s.value / peak_per_s,
                                 result.rate_per_s.low / peak_per_s,
                                 result.rate_per_s.high / peak_per_s,
                                 {}};
  return result;
}

namespace {

std::vector<PhaseSample> of_phase(std::span<const PhaseSample> samples, const std::string& phase) {
  std::vector<PhaseSample> chosen;
  for (const PhaseSample& sample : samples)
    if (sample.phase == phase) chosen.push_back(sample);
  return chosen;
}

/// Kernel totals by problem size; f(n) is taken from the sample with the fewest ranks.
std::map<double, std::vector<KernelTotal>> kernels_by_size(std::span<const PhaseSample> samples,
                                                           const std::vector<PhaseFit>& phases) {
  std::map<double, std::vector<KernelTotal>> kernels;
  for (const PhaseFit& phase : phases) {
    if (phase.role == PhaseRole::communication) continue;
    std::map<double, PhaseSample> fewest;
    for (const PhaseSample& sample : of_phase(samples, phase.phase)) {
      const auto [place, added] = fewest.emplace(sample.problem_size, sample);
      if (!added && sample.ranks < place->second.ranks) place->second = sample;
    }
    for (const auto& [size, sample] : fewest) {
      KernelTotal total{phase.one_processor_s(sample), {}};
      if (phase.role == PhaseRole::parallel) total.many_processors_s = phase.seconds(sample);
      kernels[size].push_back(total);
    }
  }
  return kernels;
}

}  // namespace

ProgramFit fit_program(std::span<const PhaseSample> samples,
                       std::span<const PhaseDescription> descriptions) {
  for (const PhaseSample& sample : samples)
    if (std::none_of(descriptions.begin(), descriptions.end(),
                     [&](const auto& description) { return description.phase == sample.phase; }))
      throw BadInput(fmt::format("phase {}: found samples, expected its role too", sample.phase));
  ProgramFit program;
  std::size_t computing = 0;
  for (const PhaseDescription& description : descriptions) {
    const std::vector<PhaseSample> own = of_phase(samples, description.phase);
    if (own.empty())
      throw BadInput(
          fmt::format("phase {}: found no samples, expected at least three", description.phase));
    program.phases.push_back(fit_phase(own, description.role, description.peak_per_s));
    if (description.role != PhaseRole::communication) ++computing;
  }
  for (const auto& [size, kernels] : kernels_by_size(samples, program.phases)) {
    if (kernels.size() < computing) continue;
    const double fraction = parallel_fraction(kernels);
    program.sizes.push_back(
        {size, one_processor_total(kernels), fraction, speed_up_bound(fraction)});
  }
  return program;
}

}  // namespace bellwether
