// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil_from_samples.hpp"

#include <algorithm>

#include "models/airfoil/airfoil_loops.hpp"

namespace bellwether {
namespace {

/// The mini-app's loops from its own sequence; the others only run in OP2's.
bool taken_from(const AirfoilSpec& spec, AirfoilLoop loop) {
  const std::vector<AirfoilLoop> fused = airfoil_loops(true);
  return spec.fused || std::find(fused.begin(), fused.end(), loop) == fused.end();
}

}  // namespace

std::optional<AirfoilParameters> airfoil_from_samples(const Bench& bench,
                                                      const MeasurementPlan& plan,
                                                      const SampleStore& store) {
  if (plan.airfoil.empty()) return {};
  const double launch_s =
      bench.device().is_host() ? 0 : quantity_of(store.at(launch_name(1))).value;
  AirfoilParameters parameters;
  for (const AirfoilSpec& spec : plan.airfoil) {
    for (const AirfoilLoop loop : airfoil_loops(spec.fused)) {
      if (!taken_from(spec, loop)) continue;
      const double elements = airfoil_elements(spec.mesh, loop);
      Quantity cost = quantity_of(store.at(spec.name(loop)));
      for (double* const end : {&cost.value, &cost.low, &cost.high})
        *end = std::max(0.0, *end / airfoil_calls(loop) - launch_s) / elements;
      parameters.loops[spec.precision][static_cast<std::size_t>(loop)].push_back({elements, cost});
    }
  }
  return parameters;
}

}  // namespace bellwether
