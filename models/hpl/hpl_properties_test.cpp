// SPDX-License-Identifier: MIT
// What must hold of both forms whatever the parameters.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

/// A number between 10^low and 10^high.
double decade(double low, double high, const char* name) {
  const int step = *rc::gen::inRange(0, 1001).as(name);
  return std::pow(10, low + (high - low) * step / 1000);
}

HplCluster any_cluster() {
  HplCluster cluster;
  cluster.rates = {decade(9, 13, "host"), decade(9, 14, "device"), decade(8, 12, "down"),
                   decade(8, 12, "up"), *rc::gen::arbitrary<bool>().as("matrix on device")};
  cluster.nodes = *rc::gen::inRange(1, 100).as("nodes");
  cluster.network_bytes_per_s = decade(8, 11, "network");
  if (*rc::gen::arbitrary<bool>().as("ethernet"))
    cluster.ethernet_bits_per_s = 8 * cluster.network_bytes_per_s;
  cluster.network_factor = decade(0, 2, "factor");
  return cluster;
}

HplSize any_size() {
  const int block = *rc::gen::inRange(1, 300).as("block");
  return {static_cast<double>(block + *rc::gen::inRange(0, 20000).as("beyond a block")),
          static_cast<double>(block)};
}

HplProblem any_problem() {
  HplProblem problem;
  problem.grid = {*rc::gen::inRange(1, 7).as("rows"), *rc::gen::inRange(1, 7).as("columns")};
  problem.block = *rc::gen::inRange(1, 64).as("block");
  problem.size = *rc::gen::inRange(64, 3000).as("size");
  problem.bcast = *rc::gen::elementOf(broadcast_names()).as("bcast");
  problem.swap = *rc::gen::elementOf(row_swap_names()).as("swap");
  return problem;
}

/// "gpu", whose host factors panels, or "cpu".
const char* any_kind() { return *rc::gen::arbitrary<bool>().as("gpu") ? "gpu" : "cpu"; }

RC_GTEST_PROP(HplProperties, ShareIsAFractionAndBalances, ()) {
  const HplCluster cluster = any_cluster();
  const HplSize size = any_size();
  const TransferTime transfer = transfer_time(size, cluster.rates);
  const double work = gemm_flops(size) + trsm_flops(size);
  const double share = device_share(work, cluster.rates, transfer);
  RC_ASSERT(share >= 0 && share <= 1);
  if (share <= 0 || work <= 0) return;
  const double host = (1 - share) * work / cluster.rates.host_flops_per_s;
  const double device = share * work / cluster.rates.device_flops_per_s;
  const double sent = transfer.fixed_s + share * transfer.per_share_s;
  const double scale =
      work / std::min(cluster.rates.host_flops_per_s, cluster.rates.device_flops_per_s);
  RC_ASSERT(std::abs(host - device - sent) <= 1e-9 * (scale + sent));
}

RC_GTEST_PROP(HplProperties, PaperTimeGrowsWithSize, ()) {
  const HplCluster cluster = any_cluster();
  const HplSize size = any_size();
  const HplSize larger{size.size + *rc::gen::inRange(1, 1000).as("more"), size.block};
  RC_ASSERT(simulate_hpl(cluster, larger).total_s() >=
            simulate_hpl(cluster, size).total_s() * (1 - 1e-9));
}

RC_GTEST_PROP(HplProperties, PaperTimeScalesWithAllRates, ()) {
  const HplCluster cluster = any_cluster();
  const HplSize size = any_size();
  const double c = decade(-2, 2, "c");
  HplCluster faster = cluster;
  faster.rates.host_flops_per_s *= c;
  faster.rates.device_flops_per_s *= c;
  faster.rates.down_bytes_per_s *= c;
  faster.rates.up_bytes_per_s *= c;
  faster.network_bytes_per_s *= c;
  faster.ethernet_bits_per_s *= c;
  const double before = simulate_hpl(cluster, size).total_s();
  RC_ASSERT(std::abs(simulate_hpl(faster, size).total_s() * c - before) <= 1e-9 * before);
}

RC_GTEST_PROP(HplProperties, PaperLimitsOfFastTransfersAndOneNode, ()) {
  HplCluster cluster = any_cluster();
  const HplSize size = any_size();
  cluster.nodes = 1;
  cluster.rates.down_bytes_per_s = cluster.rates.up_bytes_per_s = 1e40;
  const HplTimes times = simulate_hpl(cluster, size);
  // All rates work all the time.
  const double ideal = (gemm_flops(size) + trsm_flops(size)) /
                       (cluster.rates.host_flops_per_s + cluster.rates.device_flops_per_s);
  RC_ASSERT(times.network_s == 0);
  RC_ASSERT(std::abs(times.total_s() - ideal) <= 1e-6 * ideal);
}

/// What panels and swaps get into each other's way depends on who is where when: what is faster may
/// meet others that it missed. Of 20 000 problems 17 took longer so, the worst by 8 %.
constexpr double met_others = 1.1;

RC_GTEST_PROP(HplProperties, RefinedTimeGrowsWithSize, ()) {
  const Machine machine = hpl_test_machine(decade(9, 13, "gemm"), decade(-8, -4, "latency"),
                                           decade(8, 12, "bandwidth"), any_kind());
  const bool overlap = *rc::gen::arbitrary<bool>().as("overlap");
  const HplProblem problem = any_problem();
  HplProblem larger = problem;
  larger.size += *rc::gen::inRange(1, 200).as("more");
  RC_ASSERT(predict_hpl_refined(machine, larger, 4, overlap).total_s * met_others >=
            predict_hpl_refined(machine, problem, 4, overlap).total_s);
}

RC_GTEST_PROP(HplProperties, RefinedTimeFallsWithEachRate, ()) {
  const double gemm = decade(9, 13, "gemm");
  const double latency = decade(-8, -4, "latency");
  const double bandwidth = decade(8, 12, "bandwidth");
  const char* const kind = any_kind();
  const bool overlap = *rc::gen::arbitrary<bool>().as("overlap");
  HplProblem problem = any_problem();
  const auto total = [&](double rate, double l, double b) {
    return predict_hpl_refined(hpl_test_machine(rate, l, b, kind), problem, 4, overlap).total_s;
  };
  const bool swaps = problem.grid.rows > 1;
  const double before = total(gemm, latency, bandwidth) * (swaps ? met_others : 1 + 1e-12);
  RC_ASSERT(total(2 * gemm, latency, bandwidth) <= before);
  RC_ASSERT(total(gemm, latency / 2, bandwidth) <= before);
  RC_ASSERT(total(gemm, latency, 2 * bandwidth) <= before);
}

RC_GTEST_PROP(HplProperties, RefinedTimeScalesWithAllRates, ()) {
  const double gemm = decade(9, 13, "gemm");
  const double latency = decade(-8, -4, "latency");
  const double bandwidth = decade(8, 12, "bandwidth");
  const char* const kind = any_kind();
  const double c = decade(-2, 2, "c");
  const bool overlap = *rc::gen::arbitrary<bool>().as("overlap");
  const HplProblem problem = any_problem();
  const auto total = [&](const Machine& machine) {
    return predict_hpl_refined(machine, problem, 4, overlap).total_s;
  };
  const double before = total(hpl_test_machine(gemm, latency, bandwidth, kind));
  const double after = total(hpl_test_machine(c * gemm, latency / c, c * bandwidth, kind));
  // Rounding decides who of two is first, over and over.
  RC_ASSERT(std::abs(after * c - before) <= 1e-3 * before);
}

// Without latencies: a second exchange of rows in each step, of the next panel's alone, has them.
// Of a GPU with several rows of processes panels, swaps and products go on at once, else two of
// them.
RC_GTEST_PROP(HplProperties, LookAheadLiesBetweenItsShareAndTheWhole, ()) {
  const Machine machine =
      hpl_test_machine(decade(9, 13, "gemm"), 0, decade(8, 12, "bandwidth"), any_kind());
  HplProblem problem = any_problem();
  problem.swap = "spread-roll";
  const Prediction off = predict_hpl_refined(machine, problem, 4, false);
  const Prediction on = predict_hpl_refined(machine, problem, 4, true);
  RC_ASSERT(on.total_s <= off.total_s * (problem.grid.rows > 1 ? met_others : 1 + 1e-9));
  const bool in_parts = machine.device.kind == "gpu" && problem.grid.rows > 1;
  RC_ASSERT(on.total_s >= off.total_s / (in_parts ? 3 : 2) * (1 - 1e-9));
  RC_ASSERT(on.hidden_fraction >= 0 && on.hidden_fraction <= 1 + 1e-9);
}

RC_GTEST_PROP(HplProperties, OneProcessSendsNothing, ()) {
  const Machine machine =
      hpl_test_machine(decade(9, 13, "gemm"), 1, decade(8, 12, "bandwidth"), any_kind());
  HplProblem problem = any_problem();
  problem.grid = {1, 1};
  const Prediction p = predict_hpl_refined(machine, problem, 4, false);
  for (const Term& term : p.terms)
    RC_ASSERT(!term.name.starts_with("network") && term.name != "wait");
}

RC_GTEST_PROP(HplProperties, PerfectNetworkLeavesComputation, ()) {
  const double gemm = decade(9, 13, "gemm");
  const HplProblem problem = any_problem();
  const Prediction p =
      predict_hpl_refined(hpl_test_machine(gemm, 0, 1e40, any_kind()), problem, 4, false);
  const double compute = hpl_term(p, "compute.panel") + hpl_term(p, "compute.trsm") +
                         hpl_term(p, "compute.gemm") + hpl_term(p, "wait") +
                         hpl_term(p, "network.solve") + hpl_term(p, "network.swap");  // waiting
  RC_ASSERT(std::abs(p.total_s - compute) <= 1e-9 * compute);
}

}  // namespace
}  // namespace bellwether
