// SPDX-License-Identifier: MIT
#include <algorithm>

#include "microbench/airfoil/airfoil.hpp"
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {
namespace {

/// The mini-app's loops from its own sequence; the others only run in OP2's.
bool taken_from(const AirfoilSpec& spec, AirfoilLoop loop) {
  if (spec.fused || spec.increments == Increments::plain) return true;
  const std::vector<AirfoilLoop> fused = airfoil_loops(AirfoilSequence::fused);
  return std::find(fused.begin(), fused.end(), loop) == fused.end();
}

}  // namespace

void airfoil_from_samples(const AirfoilCases& cases, const SampleStore& store, Machine& machine) {
  if (cases.empty()) return;
  const double launch_s =
      machine.device.kind == "cpu" ? 0 : machine.device.launch_latency_s.value().value;
  AirfoilParameters parameters;
  for (const auto& [spec, key] : cases) {
    const std::vector<AirfoilLoop> loops = airfoil_loops(spec.sequence());
    if (spec.increments != Increments::gather) parameters.increments = name_of(spec.increments);
    for (std::size_t part = 0; part < loops.size(); ++part) {
      const AirfoilLoop loop = loops[part];
      if (!taken_from(spec, loop)) continue;
      const double elements = airfoil_elements(spec.mesh, loop);
      Quantity cost = quantity_of(store.at(key.of_part(part)));
      for (double* const end : {&cost.value, &cost.low, &cost.high})
        *end = std::max(0.0, *end / airfoil_calls(loop) - launch_s) / elements;
      parameters.loops[spec.precision][static_cast<std::size_t>(loop)].push_back({elements, cost});
    }
  }
  set_section(machine, parameters);
}

Folder airfoil_folder() { return {measured(plan_airfoil, airfoil_from_samples), true}; }

}  // namespace bellwether
