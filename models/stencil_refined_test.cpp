// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/full_machine.hpp"
#include "models/machine_json.hpp"
#include "models/stencil_apps.hpp"
#include "models/test_stencils.hpp"

namespace bellwether {
namespace {

Term term(const Prediction& prediction, const std::string& name) {
  for (const Term& one : prediction.terms)
    if (one.name == name) return one;
  return {};
}

bool notes(const Prediction& prediction, const std::string& word) {
  return std::any_of(prediction.outside_range.begin(), prediction.outside_range.end(),
                     [&word](const std::string& line) { return line.find(word) != line.npos; });
}

Prediction refined(const Machine& machine, const Decomposition& decomposition,
                   const StencilVariant& variant, int ranks_per_node) {
  return predict_stencil_refined(machine, diffusion_stencil(), decomposition, variant,
                                 {ranks_per_node});
}

/// full_machine()'s seconds per byte: of 4 bandwidth / ranks at 10 kB and bandwidth / ranks at 100
/// MB.
double seconds_per_byte(double working_set, double rereads, double ranks, bool streaming) {
  const double share = std::log(working_set / 1e4) / std::log(1e4);
  const double one = (1 + 0.1 * rereads) / 2.4e10 / (streaming ? 1.5 : 1);
  return ranks * one * (0.25 + share * 0.75);
}

/// Of the update's 13 flops the 4 sums and the product of the calibrated row kernel are in its
/// time.
double arithmetic(double cells) { return 8 * cells / 1e11; }

TEST(StencilRefined, WorksOutOneRank) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  const double cells = 64 * 64 * 64;
  const double bytes = 4 * (2 * cells + 6 * 64 * 64);
  for (const char* stores : {"cached", "streaming", "auto"}) {
    const Prediction prediction = refined(full_machine(), decomposition, {.stores = stores}, 1);
    ASSERT_EQ(prediction.terms.size(), 1u);
    const bool streaming = std::string(stores) != "cached";
    EXPECT_NEAR(prediction.total_s,
                bytes * seconds_per_byte(2 * cells * 4, 4, 1, streaming) + arithmetic(cells) + 1e-6,
                1e-12)
        << stores;
    EXPECT_TRUE(prediction.outside_range.empty());
    EXPECT_EQ(prediction.hidden_fraction, 0);
    EXPECT_EQ(prediction.form, "refined");
  }
}

TEST(StencilRefined, WorksOutEveryTermOfTwoRanks) {
  const Decomposition decomposition({64, 64, 128}, {1, 1, 2}, true);
  const double cells = 64 * 64 * 64;
  const double face = 4. * 64 * 64;
  const double working_set = 2 * cells * 4;
  // Two of four calibrated ranks: a third of the way from 1 to 4.
  const double update = seconds_per_byte(working_set, 4, 2, true);
  const double pack = 2 * 2 * face * seconds_per_byte(working_set, 0, 2, false) + 2e-6;
  const double slab = 4 * (2 * 64 * 64 + 2 * (64 * 64 + 64 + 64));
  const double inner = 4 * (2 * 64 * 64 * 62 + 2 * (64 * 64 + 2 * 64 * 62));
  const double boundary = 2 * slab * update + arithmetic(2 * 64 * 64) + 2e-6;
  const double interior = inner * update + arithmetic(64 * 64 * 62) + 1e-6;
  const double copy = 2 * (1e-7 + face / 5e9);
  const double network = 1.8 * 5e-7 + face / (0.4 * 4e9);  // the ring's
  const Prediction prediction = refined(full_machine(), decomposition, {.overlap = true}, 4);
  EXPECT_NEAR(term(prediction, "compute.boundary").seconds, boundary, 1e-12);
  EXPECT_NEAR(term(prediction, "pack").seconds, pack, 1e-12);
  EXPECT_NEAR(term(prediction, "copy.to_host").seconds, copy, 1e-12);
  EXPECT_NEAR(term(prediction, "compute.interior").seconds, interior, 1e-12);
  EXPECT_NEAR(term(prediction, "network").seconds, network - std::min(interior, 0.3 * network),
              1e-12);
  EXPECT_NEAR(term(prediction, "copy.to_device").seconds, copy, 1e-12);
  EXPECT_NEAR(term(prediction, "unpack").seconds, pack, 1e-12);
  EXPECT_NEAR(prediction.hidden_fraction, std::min(0.3, interior / network), 1e-12);
  double sum = 0;
  for (const Term& one : prediction.terms) sum += one.seconds;
  EXPECT_DOUBLE_EQ(sum, prediction.total_s);
  EXPECT_EQ(prediction.terms.size(), 7u);
}

/// A GPU copies each face down at 2.5e-5 s + bytes / 1e9 and up at 1.5e-5 s + bytes / 5e8; its
/// messages are those of the machine's shared memory.
Machine gpu() {
  Machine machine = full_machine();
  machine.device.kind = "gpu";
  machine.links["device_to_host"].one_way = {.latency_s = Quantity::exact(2.5e-5),
                                             .bandwidth_bytes_per_s = Quantity::exact(1e9),
                                             .segments = {},
                                             .samples = {}};
  machine.links["host_to_device"].one_way = {.latency_s = Quantity::exact(1.5e-5),
                                             .bandwidth_bytes_per_s = Quantity::exact(5e8),
                                             .segments = {},
                                             .samples = {}};
  return machine;
}

TEST(StencilRefined, AGpuCopiesBesideTheInterior) {
  const Decomposition decomposition({64, 64, 128}, {1, 1, 2}, true);
  // Two faces of 16384 bytes: 8.2768e-5 s down, 9.5536e-5 s up, 11.14e-6 s of messages.
  const double copies = 8.2768e-5 + 9.5536e-5;
  const double messages = 1.114e-5;
  const auto predict = [&](const Machine& machine, bool overlap, bool staged, double rate) {
    return predict_stencil_refined(machine, diffusion_stencil(), decomposition,
                                   {.overlap = overlap, .staged = staged}, {4}, rate);
  };
  Machine machine = gpu();
  // 62 of 64 planes at 1e10 cells/s: 2.53952e-5 s, behind which as much is hidden; at 1e9 cells/s
  // there is time for everything, but the link hides three tenths of its messages.
  const Prediction some = predict(machine, true, true, 1e10);
  EXPECT_NEAR(term(some, "network").seconds, copies + messages - 2.53952e-5, 1e-12);
  EXPECT_NEAR(some.hidden_fraction, 2.53952e-5 / (copies + messages), 1e-9);
  EXPECT_EQ(term(some, "copy.to_host").name, "");
  EXPECT_EQ(term(some, "copy.to_device").name, "");
  EXPECT_GT(term(some, "unpack").seconds, 0);
  EXPECT_NEAR(term(predict(machine, true, true, 1e9), "network").seconds, 0.7 * messages, 1e-12);
  // Not measured: a GPU hides all that the interior has time for, and here all there is.
  for (auto& [name, link] : machine.links) {
    link.hideable_fraction.reset();
    link.hideable_by_size.clear();
  }
  EXPECT_NEAR(term(predict(machine, true, true, 1e10), "network").seconds,
              copies + messages - 2.53952e-5, 1e-12);
  EXPECT_NEAR(term(predict(machine, true, true, 1e9), "network").seconds, 0, 1e-15);
  EXPECT_EQ(predict(machine, true, true, 1e9).hidden_fraction, 1);
  // Without overlap, and without staging.
  const Prediction off = predict(machine, false, true, 1e10);
  EXPECT_NEAR(term(off, "copy.to_host").seconds, 8.2768e-5, 1e-12);
  EXPECT_NEAR(term(off, "network").seconds, messages, 1e-12);
  EXPECT_NEAR(term(off, "copy.to_device").seconds, 9.5536e-5, 1e-12);
  EXPECT_NEAR(term(predict(machine, true, false, 1e12), "network").seconds,
              messages - 64 * 64 * 62 / 1e12, 1e-12);
}

TEST(StencilRefined, ArithmeticAddsUpOnACpuAndHidesOnAGpu) {
  Machine machine = full_machine();
  for (auto& [precision, peak] : machine.device.peak_flops_per_s) peak = Quantity::exact(1e8);
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  const double cells = 64 * 64 * 64;
  const double memory = 4 * (2 * cells + 6 * 64 * 64) * seconds_per_byte(2 * cells * 4, 4, 1, true);
  EXPECT_NEAR(refined(machine, decomposition, {}, 1).total_s, memory + 8 * cells / 1e8 + 1e-6,
              1e-12);
  machine.device.kind = "gpu";
  EXPECT_NEAR(refined(machine, decomposition, {}, 1).total_s, 13 * cells / 1e8 + 1e-6, 1e-12);
}

TEST(StencilRefined, InfinitelyFastMachineTakesNoTime) {
  Machine machine = full_machine();
  const Quantity none = Quantity::exact(0);
  const Quantity endless = Quantity::exact(1e300);
  machine.device.memory.clear();
  machine.device.memory_bandwidth_bytes_per_s = endless;
  machine.device.launch_latency_s = none;
  for (auto& [precision, peak] : machine.device.peak_flops_per_s) peak = endless;
  for (auto& [name, link] : machine.links) {
    link = Link{};
    link.one_way.latency_s = none;
    link.one_way.bandwidth_bytes_per_s = endless;
  }
  const Decomposition decomposition({64, 64, 64}, {2, 2, 2}, true);
  for (const bool overlap : {false, true})
    EXPECT_LT(refined(machine, decomposition, {.overlap = overlap}, 2).total_s, 1e-200);
}

TEST(StencilRefined, GrowsWithTheProblem) {
  for (const bool overlap : {false, true}) {
    double last = 0;
    for (const int cells : {16, 24, 32, 64, 128, 256, 512}) {
      const Decomposition decomposition({cells, cells, cells}, {1, 2, 2}, true);
      const double total = refined(full_machine(), decomposition, {.overlap = overlap}, 4).total_s;
      EXPECT_GT(total, last);
      last = total;
    }
  }
}

TEST(StencilRefined, OverlapCostsNoMoreThanItsBoundary) {
  for (const int cells : {8, 32, 128, 512}) {
    const Decomposition decomposition({cells, cells, cells}, {2, 2, 2}, true);
    const Prediction off = refined(full_machine(), decomposition, {.overlap = false}, 4);
    const Prediction on = refined(full_machine(), decomposition, {.overlap = true}, 4);
    const double extra = term(on, "compute.boundary").seconds +
                         term(on, "compute.interior").seconds -
                         term(off, "compute.interior").seconds;
    EXPECT_LE(on.total_s, off.total_s + extra + 1e-15);
    EXPECT_LT(term(on, "network").seconds, term(off, "network").seconds);
  }
}

TEST(StencilRefined, IntervalsHoldTheValues) {
  const Decomposition decomposition({64, 64, 64}, {2, 2, 2}, false);
  for (const bool overlap : {false, true}) {
    const Prediction prediction = refined(full_machine(), decomposition, {.overlap = overlap}, 4);
    EXPECT_LT(prediction.low_s, prediction.total_s);
    EXPECT_GT(prediction.high_s, prediction.total_s);
    for (const Term& one : prediction.terms) {
      EXPECT_LE(one.low, one.seconds) << one.name;
      EXPECT_GE(one.high, one.seconds) << one.name;
    }
    const Term pack = term(prediction, "pack");
    EXPECT_NEAR(pack.high / pack.seconds, 1 / 0.9, 0.02);
  }
}

TEST(StencilRefined, ExactMachineHasNoInterval) {
  const Prediction prediction =
      refined(find_machine("tsubame2.0"), Decomposition({64, 64, 64}, {1, 2, 2}, true), {}, 3);
  EXPECT_EQ(prediction.low_s, prediction.total_s);
  EXPECT_EQ(prediction.high_s, prediction.total_s);
}

/// What a ring's two exchanges take of twice a lone one, in shared memory, for small messages.
double ring_of_lone(double bytes) {
  return (1.8 * 5e-7 + bytes / (0.4 * 4e9)) / (2 * (1.5 * 5e-7 + bytes / (0.8 * 4e9)));
}

TEST(StencilRefined, TakesTheTimingOfAsManyPairsAsExchange) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 4}, true);
  const double face = 4. * 64 * 64;
  // Four ranks of a node: two pairs in shared memory.
  EXPECT_NEAR(term(refined(full_machine(), decomposition, {}, 4), "network").seconds,
              2 * (1.7 * 5e-7 + face / (0.5 * 4e9)) * ring_of_lone(face), 1e-12);
  // Two to a node: one pair in shared memory, two on the network.
  EXPECT_NEAR(term(refined(full_machine(), decomposition, {}, 2), "network").seconds,
              1.5 * 5e-7 + face / (0.8 * 4e9) + 1.7 * 2e-6 + face / (0.5 * 1e9), 1e-12);
}

TEST(StencilRefined, MorePairsThanCalibratedShareTheBandwidth) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 16}, true);
  Machine machine = full_machine();
  const double face = 4. * 64 * 64;
  const Prediction prediction = refined(machine, decomposition, {}, 16);
  EXPECT_NEAR(term(prediction, "network").seconds,
              2 * (1.7 * 5e-7 + 4 * face / (0.5 * 4e9)) * ring_of_lone(face), 1e-12);
  EXPECT_TRUE(notes(prediction, "pairs at once"));
  EXPECT_TRUE(notes(prediction, "ranks of a node"));
}

TEST(StencilRefined, ExchangeNotMeasuredIsTwoOneWayTimes) {
  const Decomposition decomposition({64, 64, 64}, {1, 2, 2}, true);
  const Prediction prediction = refined(find_machine("cray-xk6m"), decomposition, {}, 1);
  EXPECT_NEAR(term(prediction, "network").seconds, 4 * 2 * (3.75e-6 + 4. * 64 * 32 / 9.87e9),
              1e-14);
  EXPECT_NEAR(term(prediction, "copy.to_host").seconds, 4 * (41.5e-6 + 4. * 64 * 32 / 6.34e9),
              1e-14);
  EXPECT_TRUE(prediction.outside_range.empty());
}

TEST(StencilRefined, DirectHalosAreNotCopied) {
  const Decomposition decomposition({64, 64, 64}, {1, 2, 2}, true);
  const Prediction prediction = refined(full_machine(), decomposition, {.staged = false}, 4);
  EXPECT_EQ(term(prediction, "copy.to_host").name, "");
  EXPECT_EQ(term(prediction, "copy.to_device").name, "");
}

TEST(StencilRefined, AnUpdateInPlaceTakesTheTimeOfItsOwnCurves) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  const double cells = 64 * 64 * 64, launch = 1e-6;
  StencilKernel lbm = lattice_boltzmann();
  lbm.flops = 38;
  const auto total = [&](const Machine& machine) {
    return predict_stencil_refined(machine, lbm, decomposition, {}, {1}).total_s;
  };
  Machine machine = full_machine();
  const double per_byte = seconds_per_byte(19 * cells * 4, 0, 1, false);  // of twice the rate
  const double in_place = 38 * 4 * cells * per_byte / 2, of_19_arrays = in_place * 2 / 1.6;
  EXPECT_NEAR(total(machine), of_19_arrays + launch, 1e-10);
  std::erase_if(machine.device.memory, [](const MemoryCurve& curve) { return curve.arrays > 1; });
  EXPECT_NEAR(total(machine), in_place + launch, 1e-10);
  EXPECT_TRUE(notes(predict_stencil_refined(machine, lbm, decomposition, {}, {1}),
                    "arrays gone through at once: 19 asked, calibrated from 1 to 1"));
  std::erase_if(machine.device.memory,
                [](const MemoryCurve& curve) { return curve.stores == "in_place"; });
  EXPECT_NEAR(total(machine), 2 * in_place + launch, 1e-10);
  EXPECT_TRUE(notes(predict_stencil_refined(machine, lbm, decomposition, {}, {1}),
                    "none with in_place stores"));
}

/// Its arithmetic runs while lines are under way; another kernel's comes after.
TEST(StencilRefined, AKernelThatFetchesAheadTakesTheLongerOfMemoryAndArithmetic) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  StencilKernel lbm = lattice_boltzmann();
  const auto total = [&](double flops, bool fetches_ahead) {
    lbm.flops = flops;
    lbm.fetches_ahead = fetches_ahead;
    return predict_stencil_refined(full_machine(), lbm, decomposition, {}, {1}).total_s;
  };
  const double cells = 64 * 64 * 64, launch = 1e-6;
  const double memory = total(0, true) - launch;
  EXPECT_NEAR(total(0, false), memory + launch, 1e-10);
  for (const double share : {0.5, 2.0}) {
    const double flops = share * memory * 1e11 / cells;
    EXPECT_NEAR(total(flops, true), std::max(share, 1.0) * memory + launch, 1e-10);
    EXPECT_NEAR(total(flops, false), (1 + share) * memory + launch, 1e-10);
  }
}

TEST(StencilRefined, SaysWhereItLeavesTheCalibratedRange) {
  const Decomposition large({8192, 8192, 64}, {1, 1, 2}, true);
  EXPECT_TRUE(notes(refined(full_machine(), large, {}, 4), "message of 268435456 bytes"));
  EXPECT_TRUE(notes(refined(full_machine(), large, {}, 4), "working set"));
  Machine machine = full_machine();
  std::erase_if(machine.device.memory,
                [](const MemoryCurve& curve) { return curve.precision == "f64"; });
  const Decomposition small({64, 64, 64}, {1, 1, 1}, true);
  EXPECT_TRUE(notes(refined(machine, small, {.precision = "f64"}, 1), "none for f64"));
  std::erase_if(machine.device.memory,
                [](const MemoryCurve& curve) { return curve.stores == "streaming"; });
  EXPECT_TRUE(notes(refined(machine, small, {.stores = "streaming"}, 1), "streaming"));
}

TEST(StencilRefined, MachineWithoutCurvesUsesItsBandwidth) {
  Machine machine = full_machine();
  machine.device.memory.clear();
  const Prediction prediction =
      refined(machine, Decomposition({64, 64, 64}, {1, 1, 1}, true), {}, 1);
  EXPECT_NEAR(prediction.total_s, 4 * (2 * 64. * 64 * 64 + 6 * 64 * 64) / 1e10 + 1e-6, 1e-12);
}

TEST(StencilRefined, TakesAMeasuredRate) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 2}, true);
  const Prediction prediction = predict_stencil_refined(full_machine(), diffusion_stencil(),
                                                        decomposition, {.overlap = true}, {4}, 1e9);
  EXPECT_NEAR(term(prediction, "compute.boundary").seconds, 2 * 64 * 64 / 1e9, 1e-15);
  EXPECT_NEAR(term(prediction, "compute.interior").seconds, 30 * 64 * 64 / 1e9, 1e-15);
}

}  // namespace
}  // namespace bellwether
