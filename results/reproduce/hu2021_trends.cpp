// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/network/topology.hpp"
#include "results/reproduce/hu2021_fit.hpp"

namespace bellwether {
namespace {

constexpr int gpus_per_node = 4;

bool rises(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}
bool falls(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::less_equal<>()) == values.end();
}

std::string listed(const std::vector<double>& values, const char* format, double unit = 1) {
  std::vector<std::string> words;
  for (const double value : values)
    words.push_back(fmt::format(fmt::runtime(format), value / unit));
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class Function>
std::vector<double> each(const std::vector<double>& values, Function function) {
  std::vector<double> results;
  for (const double value : values) results.push_back(function(value));
  return results;
}

/// The machine's node of four GPUs, with rates and paths of Section 5.1's studies.
class Study {
 public:
  Study(const Machine& machine, const nlohmann::json& inputs)
      : machine_(machine), inputs_(inputs), size_(inputs.at("size")) {}

  /// Figures 5 and 6: the rate of one node over that of its GPUs and CPUs.
  [[nodiscard]] double efficiency(double gpu_factor, double pcie, double block) const {
    HplCluster cluster = nodes(1, pcie);
    cluster.rates.device_flops_per_s = gpus_per_node * gpu_factor * mi50();
    const double all = cluster.rates.device_flops_per_s + cluster.rates.host_flops_per_s;
    return rate(cluster, block) / all;
  }

  /// Figure 6: the least host-device bandwidth for an efficiency, bytes/s.
  [[nodiscard]] double required_pcie(double efficiency_wanted, double block) const {
    double low = 1e6, high = 1e15;
    while (high / low > 1 + 1e-6) {
      const double middle = std::sqrt(low * high);
      (efficiency(1, middle, block) < efficiency_wanted ? low : high) = middle;
    }
    return high;
  }

  /// Figure 7: flop/s of two nodes joined by a star.
  [[nodiscard]] double two_nodes(double bits_per_s, double pcie, double block) const {
    const nlohmann::json& network = inputs_.at("network");
    const double blas = network.at("blas_efficiency");
    HplCluster cluster = nodes(2, pcie);
    const HplSimulationParameters& simulation = *hpl_simulation(machine_);
    cluster.rates.host_flops_per_s = 2 * simulation.host_peak_flops_per_s.value * blas *
                                     network.at("host_efficiency").get<double>();
    cluster.rates.device_flops_per_s =
        2 * gpus_per_node * mi50() * blas * network.at("device_efficiency").get<double>();
    cluster.ethernet_bits_per_s = 0;
    cluster.network_bytes_per_s = bits_per_s / 8;
    cluster.network_factor =
        topology_factor("star", 2) / network.at("network_efficiency").get<double>();
    return rate(cluster, block);
  }

 private:
  [[nodiscard]] double mi50() const { return inputs_.at("mi50_flops_per_s"); }
  [[nodiscard]] HplCluster nodes(int number, double pcie) const {
    std::vector<std::string> notes;
    HplCluster cluster =
        hpl_cluster(machine_, number * gpus_per_node, gpus_per_node, Bound::value, notes);
    cluster.rates.down_bytes_per_s = cluster.rates.up_bytes_per_s = number * pcie;
    return cluster;
  }
  [[nodiscard]] double rate(const HplCluster& cluster, double block) const {
    return hpl_flops(size_) / simulate_hpl(cluster, {size_, block}).total_s();
  }

  const Machine& machine_;
  const nlohmann::json& inputs_;
  double size_;
};

/// How the rate changes from one NB to the next in Table 2, %: as printed, by the published
/// equations, and with dgemm counted as 2/3 N^3 whatever NB, the solves beside it.
struct Drops {
  std::vector<double> printed, published_equations, whole_dgemm;
};
Drops drops(const Machine& machine) {
  const auto whole = [&machine](const HuRow& row) {
    std::vector<std::string> notes;
    const HplCluster cluster =
        hpl_cluster(machine, row.nodes * row.gpus_per_node, row.gpus_per_node, Bound::value, notes);
    const HplSize size{static_cast<double>(row.size), static_cast<double>(row.block)};
    HplTimes times = simulate_hpl(cluster, size);
    times.gemm_s *= 2. / 3 * std::pow(size.size, 3) / gemm_flops(size);
    return 1 / times.total_s();
  };
  const std::vector<HuRow> rows = hu_table_2();
  Drops all;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    const HuRow &small = rows[i], &large = rows[i + 1];
    all.printed.push_back(100 * (large.est_gflops / small.est_gflops - 1));
    all.published_equations.push_back(100 *
                                      (hu_gflops(machine, large) / hu_gflops(machine, small) - 1));
    all.whole_dgemm.push_back(100 * (whole(large) / whole(small) - 1));
  }
  return all;
}

bool all_negative(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double one) { return one < 0; });
}

void add_table_2(const Machine& machine, double assumed_efficiency,
                 std::vector<ReproducedTrend>& trends) {
  const HplSimulationParameters& simulation = *hpl_simulation(machine);
  const Machine changed = with_efficiencies(
      machine,
      {simulation.device_efficiency.value, simulation.host_efficiency.value, assumed_efficiency});
  std::vector<double> errors;
  for (const HuRow& row : hu_table_2())
    if (row.nodes > 1) errors.push_back(100 * (hu_gflops(changed, row) / row.est_gflops - 1));
  const auto far = [](double error) { return std::abs(error) > 2; };
  trends.push_back({"Section 5.1, a network efficiency of 90 %, in Table 2",
                    std::none_of(errors.begin(), errors.end(), far),
                    fmt::format("two nodes' estimates need {:.3f}; with {:.2f} they come out {} %",
                                simulation.network_efficiency.value, assumed_efficiency,
                                listed(errors, "{:+.1f}"))});
  const Drops change = drops(machine);
  trends.push_back({"Table 2, the estimates fall as NB grows",
                    all_negative(change.published_equations),
                    fmt::format("{} %, printed {} %", listed(change.published_equations, "{:+.2f}"),
                                listed(change.printed, "{:+.2f}"))});
  trends.push_back({"Table 2, the same with dgemm as 2/3 N^3 and dtrsm beside it",
                    all_negative(change.whole_dgemm),
                    fmt::format("{} %", listed(change.whole_dgemm, "{:+.2f}"))});
}

}  // namespace

std::vector<ReproducedTrend> hu_trends(const Machine& machine, const nlohmann::json& inputs) {
  const Study study(machine, inputs);
  const auto numbers = [&inputs](const char* key) {
    return inputs.at(key).get<std::vector<double>>();
  };
  const std::vector<double> pcie = numbers("pcie_bytes_per_s"), blocks = numbers("blocks"),
                            factors = numbers("gpu_factors");
  const double block = inputs.at("assumed_block"), gen3 = pcie.front();
  const nlohmann::json& network = inputs.at("network");
  std::vector<ReproducedTrend> trends;

  const auto by_pcie = each(pcie, [&](double one) { return study.efficiency(1, one, block); });
  trends.push_back(
      {"Figure 5, efficiency rises with the speed of PCIe", rises(by_pcie),
       fmt::format("{} at {} GB/s", listed(by_pcie, "{:.3f}"), listed(pcie, "{:.4g}", 1e9))});
  const auto by_factor =
      each(factors, [&](double one) { return study.efficiency(one, gen3, block); });
  trends.push_back({"Figure 5, efficiency drops as GPUs get faster", falls(by_factor),
                    fmt::format("{} with GPUs {} times as fast", listed(by_factor, "{:.3f}"),
                                listed(factors, "{:.0f}"))});
  const auto by_block = each(blocks, [&](double one) { return study.efficiency(1, gen3, one); });
  trends.push_back({"Figure 5, efficiency drops as NB grows", falls(by_block),
                    fmt::format("{} at NB {}: no panel in the equations",
                                listed(by_block, "{:.4f}"), listed(blocks, "{:.0f}"))});
  const auto required = each(blocks, [&](double one) {
    return study.required_pcie(inputs.at("required_efficiency"), one);
  });
  // By a percent at least: what the last, narrower panel does is no trend.
  trends.push_back(
      {"Figure 6, 75 % takes faster PCIe as NB grows",
       rises(required) && required.back() > 1.01 * required.front(),
       fmt::format("{} GB/s at NB {}", listed(required, "{:.2f}", 1e9), listed(blocks, "{:.0f}"))});

  const std::vector<double> speeds = network.at("bits_per_s");
  const double knee = network.at("restricted_below_bits_per_s");
  const auto rate = [&](double bits) { return study.two_nodes(bits, gen3, block); };
  const auto by_network = each(speeds, rate);
  trends.push_back({"Figure 7, badly restricted below 100 Gbit/s",
                    rate(knee / 10) < 0.5 * rate(10 * knee) && rate(knee) > 0.5 * rate(10 * knee),
                    fmt::format("{} TFLOP/s at {} Gbit/s", listed(by_network, "{:.2f}", 1e12),
                                listed(speeds, "{:.0f}", 1e9))});
  const auto by_path = each(pcie, [&](double one) { return study.two_nodes(knee, one, block); });
  const auto last = static_cast<std::size_t>(
      std::find(pcie.begin(), pcie.end(), network.at("no_gain_beyond_bytes_per_s").get<double>()) -
      pcie.begin());
  trends.push_back({"Figure 7, no gain from PCIe beyond 102.4 GB/s",
                    by_path.back() < 1.01 * by_path.at(last) && by_path.at(last) > by_path.front(),
                    fmt::format("{} TFLOP/s at {} GB/s", listed(by_path, "{:.2f}", 1e12),
                                listed(pcie, "{:.4g}", 1e9))});
  add_table_2(machine, network.at("network_efficiency"), trends);
  return trends;
}

}  // namespace bellwether
