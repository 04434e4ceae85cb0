// SPDX-License-Identifier: MIT
#include "microbench/driver/measure_power.hpp"

#include <functional>
#include <string>

#include "miniapps/comm/reduce.hpp"
#include "models/power/power_parameters.hpp"

namespace bellwether {
namespace {

/// Collective. Watts of a node, of three stretches in which `once` is done again and again; `parts`
/// becomes what is counted. Absent where nothing is.
std::optional<Quantity> watts_while(const Session& session, EnergyMeter& meter, double stretch_s,
                                    std::string& parts, const std::function<void()>& once) {
  std::vector<double> watts;
  for (int stretch = 0; stretch < 3; ++stretch) {
    MPI_Barrier(session.world());
    meter.start();
    const double end_s = clock_s() + stretch_s;
    do once();
    while (from_first_rank(session.world(), clock_s() < end_s));
    meter.stop();
    const std::optional<SpentEnergy> spent = meter.take();
    if (!spent) return {};
    parts.clear();
    double all_nodes = 0;
    for (const auto& [part, power] : spent->watts) {
      parts += (parts.empty() ? "" : ", ") + part;
      all_nodes += power;
    }
    if (!(all_nodes > 0)) return {};
    watts.push_back(all_nodes / session.nodes());
  }
  return quantity_of(watts);
}

}  // namespace

void measure_power(const Session& session, const Plan& plan, EnergyMeter& meter, Machine& machine,
                   double stretch_s) {
  if (!meter.counts()) return;
  PowerParameters power;
  for (std::size_t index = 0; index < plan.drift().cases.size(); ++index) {
    const BenchCase& work = plan.drift().cases[index];
    const std::string& of = plan.drift_of()[index];
    if (!work.everyone || (of != "memory" && of != "matrix product")) continue;
    if (work.active && work.prepare) work.prepare();
    SampleStore unused;
    (of == "memory" ? power.memory_w : power.matrix_product_w) =
        watts_while(session, meter, stretch_s, power.source,
                    [&] { take_sample(session.world(), work, unused); });
  }
  if (power.memory_w || power.matrix_product_w) set_section(machine, power);
}

}  // namespace bellwether
