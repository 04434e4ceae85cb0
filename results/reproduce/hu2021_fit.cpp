// SPDX-License-Identifier: MIT
#include "results/reproduce/hu2021_fit.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {

std::vector<HuRow> hu_table_2() {
  std::vector<HuRow> rows;
  for (const nlohmann::json& row : published("hu2021").at("table_2").at("rows"))
    rows.push_back({row.at("nodes"), row.at("gpus_per_node"), row.at("size"), row.at("block"),
                    row.at("est_s"), row.at("real_gflops"), row.at("est_gflops"),
                    row.at("difference_percent")});
  return rows;
}

Machine with_efficiencies(Machine machine, const HuEfficiencies& efficiencies) {
  HplSimulationParameters& simulation = section<HplParameters>(machine)->simulation.value();
  simulation.device_efficiency = Quantity::exact(efficiencies.device);
  simulation.host_efficiency = Quantity::exact(efficiencies.host);
  simulation.network_efficiency = Quantity::exact(efficiencies.network);
  return machine;
}

double hu_seconds(const Machine& machine, const HuRow& row) {
  std::vector<std::string> notes;
  const HplCluster cluster =
      hpl_cluster(machine, row.nodes * row.gpus_per_node, row.gpus_per_node, Bound::value, notes);
  return simulate_hpl(cluster, {static_cast<double>(row.size), static_cast<double>(row.block)})
      .total_s();
}

double hu_gflops(const Machine& machine, const HuRow& row) {
  return hpl_flops(static_cast<double>(row.size)) / hu_seconds(machine, row) / 1e9;
}

HuEfficiencies fit_efficiencies(const Machine& machine, const std::vector<HuRow>& rows) {
  constexpr double least_efficiency = 0.01;
  const auto misfit = [&](const std::array<double, 3>& at) {
    double sum = 0;
    for (const double efficiency : at)
      if (efficiency < least_efficiency || efficiency > 1)
        return std::numeric_limits<double>::infinity();
    const Machine changed = with_efficiencies(machine, {at[0], at[1], at[2]});
    for (const HuRow& row : rows) {
      const double error = hu_gflops(changed, row) / row.est_gflops - 1;
      sum += error * error;
    }
    return sum;
  };
  std::array<double, 3> best{0.8, 0.8, 0.8};
  double least = misfit(best);
  for (double step = 0.1; step > 1e-5;) {
    const double before = least;
    for (std::size_t factor = 0; factor < best.size(); ++factor) {
      for (const double way : {step, -step}) {
        std::array<double, 3> tried = best;
        tried[factor] += way;
        if (const double sum = misfit(tried); sum < least) {
          least = sum;
          best = tried;
        }
      }
    }
    if (least == before) step /= 2;
  }
  return {best[0], best[1], best[2]};
}

}  // namespace bellwether
