// SPDX-License-Identifier: MIT
#include "models/cholesky/program_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/cholesky/efficiency_model.hpp"
#include "models/errors.hpp"

namespace bellwether {
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
