// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

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
    const Prediction prediction =
        refined_diffusion(full_machine(), decomposition, {.stores = stores}, 1);
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
  const double pack = 2 * 2 * face * seconds_per_byte(working_set, 0, 2, false) + 1e-6;
  const double slab = 4 * (2 * 64 * 64 + 2 * (64 * 64 + 64 + 64));
  const double inner = 4 * (2 * 64 * 64 * 62 + 2 * (64 * 64 + 2 * 64 * 62));
  const double boundary = 2 * slab * update + arithmetic(2 * 64 * 64) + 2e-6;
  const double interior = inner * update + arithmetic(64 * 64 * 62) + 1e-6;
  const double copy = std::min(1e-7 + 2 * face / 5e9, pack);  // the link's, of cold buffers
  EXPECT_EQ(copy, pack);
  const double messages = 2 * (1.5 * 5e-7 + face / (0.8 * 4e9));
  // Of 2 MiB swept and 32 KiB sent a quarter of the way from 1 to 16 MiB, 12 of 13 from 8 bytes to
  // 64 KiB.
  const double sent = 12 / 13.;
  const double cold = 0.75 * (1e-7 + sent * 3e-7) + 0.25 * (4e-6 + sent * 6e-6);
  const double network = messages + cold;
  const Prediction prediction =
      refined_diffusion(full_machine(), decomposition, {.overlap = true}, 4);
  EXPECT_NEAR(term(prediction, "compute.boundary"), boundary, 1e-12);
  EXPECT_NEAR(term(prediction, "pack"), pack, 1e-12);
  EXPECT_NEAR(term(prediction, "copy.to_host"), copy, 1e-12);
  EXPECT_NEAR(term(prediction, "compute.interior"), interior, 1e-12);
  EXPECT_NEAR(term(prediction, "network"), network - std::min(interior, 0.5 * messages), 1e-12)
      << "what MPI takes to come back into the caches is the rank's own";
  EXPECT_NEAR(term(prediction, "copy.to_device"), copy, 1e-12);
  EXPECT_NEAR(term(prediction, "unpack"), pack, 1e-12);
  EXPECT_NEAR(prediction.hidden_fraction, std::min(0.5 * messages, interior) / network, 1e-12);
  double sum = 0;
  for (const Term& one : prediction.terms) sum += one.seconds;
  EXPECT_DOUBLE_EQ(sum, prediction.total_s);
  ASSERT_EQ(prediction.terms.size(), 8u);
  // What noise has them wait, with what is left to compute while messages are hidden.
  const Machine machine = full_machine();
  const NoiseWait noise(machine);
  const double hidden = std::min(interior, 0.5 * messages);
  EXPECT_NEAR(term(prediction, "wait"),
              noise.seconds(sum - term(prediction, "wait"), {.ranks = 2, .ranks_per_node = 4},
                            interior - hidden, Bound::value),
              1e-12);
  EXPECT_GT(term(prediction, "wait"), 0);
}

TEST(StencilRefined, ArithmeticAddsUpOnACpuAndHidesOnAGpu) {
  Machine machine = full_machine();
  for (auto& [precision, peak] : machine.device.peak_flops_per_s) peak = Quantity::exact(1e8);
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  const double cells = 64 * 64 * 64;
  const double memory = 4 * (2 * cells + 6 * 64 * 64) * seconds_per_byte(2 * cells * 4, 4, 1, true);
  EXPECT_NEAR(refined_diffusion(machine, decomposition, {}, 1).total_s,
              memory + 8 * cells / 1e8 + 1e-6, 1e-12);
  machine.device.kind = "gpu";
  constexpr double between = 2e-6;  // its kernel and the next step's
  EXPECT_NEAR(refined_diffusion(machine, decomposition, {}, 1).total_s,
              13 * cells / 1e8 + 1e-6 + between, 1e-12);
}

/// 2x2x2 ranks: six slabs, 42 parts of 18 messages.
TEST(StencilRefined, AGpuTakesASlabPackAndCopyOfAllInOneLaunchEach) {
  Machine machine = full_machine();
  machine.device.kind = "gpu";
  machine.links["device_to_host"] = machine.links["host_to_device"] = machine.links["staging"];
  const Decomposition decomposition({64, 64, 64}, {2, 2, 2}, true);
  const auto terms = [&](double launch, double copy, bool overlap) {
    machine.device.launch_latency_s = Quantity::exact(launch);
    for (const char* link : {"device_to_host", "host_to_device"}) {
      LinkTiming& timing = machine.links[link].one_way;
      timing = {.latency_s = Quantity::exact(copy),
                .bandwidth_bytes_per_s = Quantity::exact(1e9),
                .segments = {}};
    }
    return predict_stencil_refined(machine, lattice_boltzmann(), decomposition,
                                   {.overlap = overlap}, {8});
  };
  // 32^3 cells: 5 of 32 x 32 cells a face less 2 x 32 to two edges each; 12 edges.
  const double sent = 4. * (6 * (5 * 32 * 32 - 2 * 2 * 32) + 12 * 32);
  for (const char* way : {"copy.to_host", "copy.to_device"}) {
    EXPECT_NEAR(term(terms(0, 0, false), way), sent / 1e9, 1e-15);
    EXPECT_NEAR(term(terms(0, 1, false), way), 1 + sent / 1e9, 1e-9);
  }
  for (const bool overlap : {false, true})
    for (const char* name : {"pack", "unpack"})
      EXPECT_NEAR(term(terms(1, 0, overlap), name) - term(terms(0, 0, overlap), name), 1, 1e-9);
  const auto boundary = [&](double launch) {
    return term(terms(launch, 0, true), "compute.boundary");
  };
  EXPECT_NEAR(boundary(1) - boundary(0), 1, 1e-9);
  machine.device.kind = "cpu";
  EXPECT_NEAR(boundary(1) - boundary(0), 6, 1e-9);
}

TEST(StencilRefined, InfinitelyFastMachineTakesNoTime) {
  Machine machine = full_machine();
  const Quantity none = Quantity::exact(0);
  const Quantity endless = Quantity::exact(1e300);
  machine.device.memory.clear();
  machine.device.memory_efficiency.reset();
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
    EXPECT_LT(refined_diffusion(machine, decomposition, {.overlap = overlap}, 2).total_s, 1e-200);
}

TEST(StencilRefined, GrowsWithTheProblem) {
  for (const bool overlap : {false, true}) {
    double last = 0;
    for (const int cells : {16, 24, 32, 64, 128, 256, 512}) {
      const Decomposition decomposition({cells, cells, cells}, {1, 2, 2}, true);
      const double total =
          refined_diffusion(full_machine(), decomposition, {.overlap = overlap}, 4).total_s;
      EXPECT_GT(total, last);
      last = total;
    }
  }
}

TEST(StencilRefined, OverlapCostsNoMoreThanItsBoundary) {
  for (const int cells : {8, 32, 128, 512}) {
    const Decomposition decomposition({cells, cells, cells}, {2, 2, 2}, true);
    const Prediction off = refined_diffusion(full_machine(), decomposition, {.overlap = false}, 4);
    const Prediction on = refined_diffusion(full_machine(), decomposition, {.overlap = true}, 4);
    const double extra =
        term(on, "compute.boundary") + term(on, "compute.interior") - term(off, "compute.interior");
    EXPECT_LE(on.total_s, off.total_s + extra + 1e-15);
    EXPECT_LT(term(on, "network"), term(off, "network"));
  }
}

TEST(StencilRefined, IntervalsHoldTheValues) {
  const Decomposition decomposition({64, 64, 64}, {2, 2, 2}, false);
  for (const bool overlap : {false, true}) {
    const Prediction prediction =
        refined_diffusion(full_machine(), decomposition, {.overlap = overlap}, 4);
    EXPECT_LT(prediction.low_s, prediction.total_s);
    EXPECT_GT(prediction.high_s, prediction.total_s);
    for (const Term& one : prediction.terms) {
      EXPECT_LE(one.low, one.seconds) << one.name;
      EXPECT_GE(one.high, one.seconds) << one.name;
    }
    const Term pack = find_term(prediction, "pack");
    EXPECT_NEAR(pack.high / pack.seconds, 1 / 0.9, 0.02);
  }
}

TEST(StencilRefined, ExactMachineHasNoInterval) {
  Machine machine = find_machine("tsubame2.0");
  machine.device.memory_efficiency.reset();
  const Prediction prediction =
      refined_diffusion(machine, Decomposition({64, 64, 64}, {1, 2, 2}, true), {}, 3);
  EXPECT_EQ(prediction.low_s, prediction.total_s);
  EXPECT_EQ(prediction.high_s, prediction.total_s);
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

/// It computes while lines are under way; another kernel does so after.
TEST(StencilRefined, AKernelThatFetchesAheadTakesTheLongerOfMemoryAndTheCoresWork) {
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
  // What the same bytes take where they come from a cache, which occupies the core too.
  const double cached = 38 * 4 * cells * seconds_per_byte(1e4, 0, 1, false) / 1.6;
  ASSERT_LT(cached, 0.9 * memory);
  for (const double share : {0.05, 0.4, 2.0}) {
    const double flops = share * memory * 1e11 / cells;
    const double core = 2 * share * memory + cached;  // nothing is fused: half of the peak
    EXPECT_NEAR(total(flops, true), std::max(memory, core) + launch, 1e-10);
    EXPECT_NEAR(total(flops, false), (1 + share) * memory + launch, 1e-10);
  }
}

TEST(StencilRefined, SaysWhereItLeavesTheCalibratedRange) {
  const Decomposition large({8192, 8192, 64}, {1, 1, 2}, true);
  EXPECT_TRUE(notes(refined_diffusion(full_machine(), large, {}, 4), "message of 268435456 bytes"));
  EXPECT_TRUE(notes(refined_diffusion(full_machine(), large, {}, 4), "working set"));
  Machine machine = full_machine();
  const Decomposition small({64, 64, 64}, {1, 1, 1}, true);
  std::erase_if(machine.device.memory,
                [](const MemoryCurve& curve) { return curve.stores == "streaming"; });
  EXPECT_TRUE(notes(refined_diffusion(machine, small, {.stores = "streaming"}, 1), "streaming"));
}

TEST(StencilRefined, MachineWithoutCurvesUsesItsBandwidth) {
  Machine machine = full_machine();
  machine.device.memory.clear();
  machine.device.memory_efficiency.reset();
  const Prediction prediction =
      refined_diffusion(machine, Decomposition({64, 64, 64}, {1, 1, 1}, true), {}, 1);
  EXPECT_NEAR(prediction.total_s, 4 * (2 * 64. * 64 * 64 + 6 * 64 * 64) / 1e10 + 1e-6, 1e-12);
}

TEST(StencilRefined, TakesAMeasuredRate) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 2}, true);
  const Prediction prediction = predict_stencil_refined(full_machine(), diffusion_stencil(),
                                                        decomposition, {.overlap = true}, {4}, 1e9);
  EXPECT_NEAR(term(prediction, "compute.boundary"), 2 * 64 * 64 / 1e9, 1e-15);
  EXPECT_NEAR(term(prediction, "compute.interior"), 30 * 64 * 64 / 1e9, 1e-15);
}

/// 198.0 GFLOP/s measured on an M2050 at 476 flops a cell (Shimokawabe, Section 6.2.2).
TEST(StencilRefined, GivesTheMeasuredRateOfAnM2050AndSaysHow) {
  const Machine machine = find_machine("tsubame2.0");
  StencilKernel lbm = lattice_boltzmann_stencil();
  const std::array<int, 3> cells{192, 192, 192};
  const Prediction one =
      predict_stencil_refined(machine, lbm, Decomposition(cells, {1, 1, 1}, true), {}, {3});
  const double measured = 198.0e9 / 476;
  EXPECT_NEAR(192. * 192 * 192 / one.total_s, measured, 1e-3 * measured);
  EXPECT_LT(one.low_s, 0.6 * one.total_s);
  ASSERT_EQ(one.outside_range.size(), 1u);
  EXPECT_TRUE(one.outside_range.front().starts_with(
      "no memory curves: kernels at the machine file's 148 GB/s times 0.43 (0.43 to 0.73), derived "
      "from Section 6.2.2"))
      << one.outside_range.front();
}

TEST(StencilRefined, SaysOnEveryMachineThatItHasNoMemoryCurves) {
  for (const Machine& machine : shipped_machines()) {
    ASSERT_TRUE(machine.device.memory.empty()) << machine.name;
    const Prediction one = refined_diffusion(machine, Decomposition({64, 64, 64}, {1, 1, 1}, true),
                                             {}, machine.layout.ranks_per_node);
    const auto says = [](const std::string& note) { return note.starts_with("no memory curves"); };
    EXPECT_EQ(std::count_if(one.outside_range.begin(), one.outside_range.end(), says), 1)
        << machine.name;
  }
}

TEST(StencilRefined, ImbalanceIsWhatTheSlowestComputesBeyondTheMean) {
  // 10 planes over 4 ranks: 3, 3, 2 and 2 of them, 2.5 on the average.
  const Decomposition uneven({64, 64, 10}, {1, 1, 4}, true);
  for (const bool overlap : {false, true}) {
    const Prediction p = predict_stencil_refined(full_machine(), diffusion_stencil(), uneven,
                                                 {.overlap = overlap}, {4});
    const double computed = term(p, "compute.interior") + term(p, "compute.boundary");
    EXPECT_NEAR(p.imbalance_s, computed * 0.5 / 3, 1e-12 * computed);
  }
  const Decomposition even({64, 64, 12}, {1, 1, 4}, true);
  EXPECT_EQ(predict_stencil_refined(full_machine(), diffusion_stencil(), even, {}, {4}).imbalance_s,
            0);
}

}  // namespace
}  // namespace bellwether
