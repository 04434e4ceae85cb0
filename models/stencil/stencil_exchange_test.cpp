// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

/// With what messages take in caches that hold MPI.
Machine warm_machine() {
  Machine machine = full_machine();
  for (auto& [name, link] : machine.links) link.after_sweep.clear();
  return machine;
}

/// A GPU copies all faces down at 2.5e-5 s + bytes / 1e9 and up at 1.5e-5 s + bytes / 5e8; its
/// messages are those of the machine's shared memory.
Machine gpu() {
  Machine machine = warm_machine();
  machine.device.kind = "gpu";
  machine.links["device_to_host"].one_way = {.latency_s = Quantity::exact(2.5e-5),
                                             .bandwidth_bytes_per_s = Quantity::exact(1e9),
                                             .segments = {}};
  machine.links["host_to_device"].one_way = {.latency_s = Quantity::exact(1.5e-5),
                                             .bandwidth_bytes_per_s = Quantity::exact(5e8),
                                             .segments = {}};
  return machine;
}

TEST(StencilExchange, AGpuCopiesBesideTheInterior) {
  const Decomposition decomposition({64, 64, 128}, {1, 1, 2}, true);
  // Two faces of 16384 bytes: 5.7768e-5 s down, 8.0536e-5 s up, 11.14e-6 s of messages.
  const double copies = 5.7768e-5 + 8.0536e-5;
  const double messages = 1.174e-5;
  const auto predict = [&](const Machine& machine, bool overlap, bool staged, double rate) {
    return predict_stencil_refined(machine, diffusion_stencil(), decomposition,
                                   {.overlap = overlap, .staged = staged}, {4}, rate);
  };
  Machine machine = gpu();
  // 62 of 64 planes at 1e10 cells/s: 2.53952e-5 s, behind which as much is hidden; at 1e9 cells/s
  // there is time for everything, but the link hides half of its messages.
  const Prediction some = predict(machine, true, true, 1e10);
  EXPECT_NEAR(term(some, "network"), copies + messages - 2.53952e-5, 1e-12);
  EXPECT_NEAR(some.hidden_fraction, 2.53952e-5 / (copies + messages), 1e-9);
  EXPECT_EQ(find_term(some, "copy.to_host").name, "");
  EXPECT_EQ(find_term(some, "copy.to_device").name, "");
  EXPECT_GT(term(some, "unpack"), 0);
  EXPECT_NEAR(term(predict(machine, true, true, 1e9), "network"), 0.5 * messages, 1e-12);
  // Not measured: a GPU hides all that the interior has time for, and here all there is.
  for (auto& [name, link] : machine.links) {
    link.exposed_exchange.clear();
  }
  EXPECT_NEAR(term(predict(machine, true, true, 1e10), "network"), copies + messages - 2.53952e-5,
              1e-12);
  EXPECT_NEAR(term(predict(machine, true, true, 1e9), "network"), 0, 1e-15);
  EXPECT_EQ(predict(machine, true, true, 1e9).hidden_fraction, 1);
  // Without overlap, and without staging.
  const Prediction off = predict(machine, false, true, 1e10);
  EXPECT_NEAR(term(off, "copy.to_host"), 5.7768e-5, 1e-12);
  EXPECT_NEAR(term(off, "network"), messages, 1e-12);
  EXPECT_NEAR(term(off, "copy.to_device"), 8.0536e-5, 1e-12);
  // Planes of 64 rows of 320 bytes, the last of 256.
  const double planes = 2 * (1.5 * 5e-7 + 20416 / (0.8 * 4e9));
  EXPECT_NEAR(term(predict(machine, true, false, 1e12), "network"), planes - 64 * 64 * 62 / 1e12,
              1e-12);
}

TEST(StencilExchange, TakesTheTimingOfAsManyPairsAsExchange) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 4}, true);
  const double face = 4. * 64 * 64;
  // Four ranks of a node: two pairs in shared memory.
  EXPECT_NEAR(term(refined_diffusion(warm_machine(), decomposition, {}, 4), "network"),
              2 * (1.7 * 5e-7 + face / (0.5 * 4e9)), 1e-12);
  // Two to a node: one pair in shared memory, two on the network.
  EXPECT_NEAR(term(refined_diffusion(warm_machine(), decomposition, {}, 2), "network"),
              1.5 * 5e-7 + face / (0.8 * 4e9) + 1.7 * 2e-6 + face / (0.5 * 1e9), 1e-12);
}

TEST(StencilExchange, FacesAndEdgesAreAllAtOnce) {
  // Four faces of 5 values a cell, less those of two edges each, and four edges of 1 value.
  const Decomposition decomposition({64, 64, 64}, {1, 2, 2}, true);
  Machine machine = warm_machine();
  const auto network = [&] {
    return term(predict_stencil_refined(machine, lattice_boltzmann(), decomposition, {}, {1}),
                "network");
  };
  const double face = 4. * (5 * 64 * 32 - 2 * 64);
  const double edge = 4. * 64;
  const auto lone = [](double bytes) { return 1.5 * 2e-6 + bytes / 0.8e9; };
  const auto gap = [](double bytes) { return 8e-7 + bytes / 0.8e9; };
  EXPECT_NEAR(network(), (lone(face) + 7 * gap(face) + lone(edge) + 7 * gap(edge)) / 2, 1e-12);
  // Where the gap is not known, each takes an exchange's.
  machine.links["network"].gap.reset();
  machine.links["network"].one_way.overhead_s.reset();
  EXPECT_NEAR(network(), 4 * lone(face) + 4 * lone(edge), 1e-12);
}

TEST(StencilExchange, MorePairsThanCalibratedShareTheBandwidth) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 16}, true);
  Machine machine = warm_machine();
  const double face = 4. * 64 * 64;
  const Prediction prediction = refined_diffusion(machine, decomposition, {}, 16);
  EXPECT_NEAR(term(prediction, "network"), 2 * (1.7 * 5e-7 + 4 * face / (0.5 * 4e9)), 1e-12);
  EXPECT_TRUE(notes(prediction, "pairs at once"));
  EXPECT_TRUE(notes(prediction, "ranks of a node"));
}

TEST(StencilExchange, ExchangeNotMeasuredIsTwoOneWayTimes) {
  const Decomposition decomposition({64, 64, 64}, {1, 2, 2}, true);
  const Prediction prediction = refined_diffusion(find_machine("cray-xk6m"), decomposition, {}, 1);
  EXPECT_NEAR(term(prediction, "network"), 4 * 2 * (3.75e-6 + 4. * 64 * 32 / 9.87e9), 1e-14);
  EXPECT_NEAR(term(prediction, "copy.to_host"), 41.5e-6 + 4 * (4. * 64 * 32) / 6.34e9, 1e-14);
  ASSERT_EQ(prediction.outside_range.size(), 1u);  // of the kernels, not of the exchange
  EXPECT_TRUE(prediction.outside_range.front().starts_with("no memory curves"));
}

TEST(StencilExchange, DirectHalosAreNotCopiedAndPlanesNotPacked) {
  for (const std::array<int, 3> ranks : {std::array{1, 2, 2}, {1, 1, 4}}) {
    const Prediction prediction =
        refined_diffusion(warm_machine(), {{64, 64, 64}, ranks, true}, {.staged = false}, 4);
    EXPECT_EQ(find_term(prediction, "copy.to_host").name, "");
    EXPECT_EQ(find_term(prediction, "copy.to_device").name, "");
    const bool packed = ranks[1] > 1;
    EXPECT_EQ(find_term(prediction, "pack").name, packed ? "pack" : "");
    EXPECT_EQ(find_term(prediction, "unpack").name, packed ? "unpack" : "");
  }
}

}  // namespace
}  // namespace bellwether
