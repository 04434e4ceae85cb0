// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/network/topology.hpp"
#include "results/reproduce/hu2021.hpp"

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

/// Seconds by the equations as printed, or with dgemm counted as 2/3 N^3 whatever NB and the solves
/// beside it, as Table 2's signs want it.
enum class Dgemm { printed, whole };
double simulated_s(const HplCluster& cluster, const HplSize& size, Dgemm dgemm) {
  HplTimes times = simulate_hpl(cluster, size);
  if (dgemm == Dgemm::whole) times.gemm_s *= 2. / 3 * std::pow(size.size, 3) / gemm_flops(size);
  return times.total_s();
}

/// The machine's node of four GPUs, with rates and paths of Section 5.1's studies.
class Study {
 public:
  Study(const Machine& machine, const nlohmann::json& inputs)
      : machine_(machine), inputs_(inputs), size_(inputs.at("size")) {}

  /// Figures 5 and 6: the rate of one node over that of its GPUs and CPUs.
  [[nodiscard]] double efficiency(double gpu_factor, double pcie, double block,
                                  Dgemm dgemm = Dgemm::printed) const {
    HplCluster cluster = nodes(1, pcie);
    cluster.rates.device_flops_per_s = gpus_per_node * gpu_factor * mi50();
    const double all = cluster.rates.device_flops_per_s + cluster.rates.host_flops_per_s;
    return rate(cluster, block, dgemm) / all;
  }

  /// Figure 6: the least host-device bandwidth for an efficiency, bytes/s.
  [[nodiscard]] double required_pcie(double efficiency_wanted, double block, Dgemm dgemm) const {
    double low = 1e6, high = 1e15;
    while (high / low > 1 + 1e-6) {
      const double middle = std::sqrt(low * high);
      (efficiency(1, middle, block, dgemm) < efficiency_wanted ? low : high) = middle;
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
    return rate(cluster, block, Dgemm::printed);
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
  [[nodiscard]] double rate(const HplCluster& cluster, double block, Dgemm dgemm) const {
    return hpl_flops(size_) / simulated_s(cluster, {size_, block}, dgemm);
  }

  const Machine& machine_;
  const nlohmann::json& inputs_;
  double size_;
};

/// Seconds of a row of Table 2.
double row_s(const Machine& machine, const HuRow& row, Dgemm dgemm) {
  std::vector<std::string> notes;
  const HplCluster cluster =
      hpl_cluster(machine, row.nodes * row.gpus_per_node, row.gpus_per_node, Bound::value, notes);
  return simulated_s(cluster, {static_cast<double>(row.size), static_cast<double>(row.block)},
                     dgemm);
}

/// How the rate changes from one NB to the next in Table 2, %.
std::vector<double> drops(const std::function<double(const HuRow&)>& rate) {
  const std::vector<HuRow> rows = hu_table_2();
  std::vector<double> all;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2)
    all.push_back(100 * (rate(rows[i + 1]) / rate(rows[i]) - 1));
  return all;
}

bool all_negative(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double one) { return one < 0; });
}

void add_table_2(const Machine& machine, double said, std::vector<ReproducedTrend>& trends) {
  const HplSimulationParameters& simulation = *hpl_simulation(machine);
  const auto misses = [&](double network_efficiency, Dgemm dgemm) {
    const Machine changed = with_efficiencies(
        machine,
        {simulation.device_efficiency.value, simulation.host_efficiency.value, network_efficiency});
    std::vector<double> errors;
    for (const HuRow& row : hu_table_2())
      if (row.nodes > 1)
        errors.push_back(100 * (1e-9 * hpl_flops(static_cast<double>(row.size)) /
                                    row_s(changed, row, dgemm) / row.est_gflops -
                                1));
    return errors;
  };
  // Of two nodes: both broadcast, one after the other.
  constexpr int broadcasts = 2;
  const std::vector<double> at_once = misses(said, Dgemm::printed);
  const std::vector<double> in_turn = misses(said / broadcasts, Dgemm::whole);
  const auto far = [](double error) { return std::abs(error) > 2; };
  trends.push_back(
      {"Section 5.1, a network efficiency of 90 %, in Table 2",
       std::none_of(in_turn.begin(), in_turn.end(), far),
       fmt::format("two nodes' estimates need {:.3f}; with {:.2f} they come out {} %, with whole "
                   "dgemm and the nodes' broadcasts one after the other {} %",
                   simulation.network_efficiency.value, said, listed(at_once, "{:+.1f}"),
                   listed(in_turn, "{:+.1f}"))});
  const auto computed = [&](Dgemm dgemm) {
    return drops([&](const HuRow& row) { return 1 / row_s(machine, row, dgemm); });
  };
  const std::vector<double> whole = computed(Dgemm::whole);
  trends.push_back(
      {"Table 2, the estimates fall as NB grows, whole dgemm", all_negative(whole),
       fmt::format("{} %, printed {} %, by the printed equations {} %", listed(whole, "{:+.2f}"),
                   listed(drops([](const HuRow& row) { return row.est_gflops; }), "{:+.2f}"),
                   listed(computed(Dgemm::printed), "{:+.2f}"))});
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
  const auto by_block = [&](Dgemm dgemm) {
    return each(blocks, [&](double one) { return study.efficiency(1, gen3, one, dgemm); });
  };
  const std::vector<double> whole = by_block(Dgemm::whole);
  trends.push_back(
      {"Figure 5, efficiency drops as NB grows, whole dgemm", falls(whole),
       fmt::format("{} at NB {}; by the printed equations {}", listed(whole, "{:.4f}"),
                   listed(blocks, "{:.0f}"), listed(by_block(Dgemm::printed), "{:.4f}"))});
  const auto required = [&](Dgemm dgemm) {
    return each(blocks, [&](double one) {
      return study.required_pcie(inputs.at("required_efficiency"), one, dgemm);
    });
  };
  const std::vector<double> wanted = required(Dgemm::whole);
  // By a percent at least: what the last, narrower panel does is no trend.
  trends.push_back(
      {"Figure 6, 75 % takes faster PCIe as NB grows, whole dgemm",
       rises(wanted) && wanted.back() > 1.01 * wanted.front(),
       fmt::format("{} GB/s at NB {}; by the printed equations {}", listed(wanted, "{:.2f}", 1e9),
                   listed(blocks, "{:.0f}"), listed(required(Dgemm::printed), "{:.2f}", 1e9))});

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
