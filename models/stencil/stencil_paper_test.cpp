// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/test_stencils.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

// 512^3 cells on 1 x 2 x 2 GPUs, three to a node: each sends four faces of 4 N^2 / sqrt(R) bytes.
const Decomposition two_dimensional({512, 512, 512}, {1, 2, 2}, true);
constexpr double tsubame_compute = 512. * 256 * 256 * (13 / 1030e9 + 32 / 148e9);
constexpr double face_bytes = 4. * 512 * 512 / 2;
constexpr double tsubame_network = 4 * 2 * 3 * (7.47e-6 + face_bytes / 5.80e9);
constexpr double tsubame_copy = 4 * 2 * (16.9e-6 + face_bytes / 4.29e9);

TEST(StencilPaper, WorksOutEquations2And3) {
  const Prediction prediction =
      predict_stencil_paper(find_machine("tsubame2.0"), diffusion_stencil(), two_dimensional,
                            {.overlap = false}, {.ranks_per_node = 3});
  EXPECT_NEAR(term(prediction, "compute.interior"), tsubame_compute, 1e-15);
  EXPECT_NEAR(term(prediction, "network"), tsubame_network, 1e-15);
  EXPECT_NEAR(term(prediction, "copy"), tsubame_copy, 1e-15);
  EXPECT_NEAR(prediction.total_s, tsubame_compute + tsubame_network + tsubame_copy, 1e-15);
  // By hand: 7.679 ms of computation and 3.462 ms of communication, 156.6 GFLOP/s.
  EXPECT_NEAR(prediction.total_s, 11.140e-3, 0.001e-3);
  EXPECT_NEAR(13 * 512. * 512 * 512 / prediction.total_s, 156.6e9, 0.1e9);
  EXPECT_EQ(prediction.hidden_fraction, 0);
  EXPECT_EQ(prediction.form, "paper");
}

TEST(StencilPaper, WorksOutEquation4) {
  const Machine machine = find_machine("tsubame2.0");
  const Prediction hidden = predict_stencil_paper(machine, diffusion_stencil(), two_dimensional,
                                                  {.overlap = true}, {.ranks_per_node = 3});
  EXPECT_NEAR(hidden.total_s, tsubame_compute, 1e-15);
  EXPECT_NEAR(hidden.hidden_fraction, 1, 1e-12);
  const Decomposition many({512, 512, 512}, {1, 32, 32}, true);
  const Prediction exposed = predict_stencil_paper(machine, diffusion_stencil(), many,
                                                   {.overlap = true}, {.ranks_per_node = 3});
  const double bytes = 4. * 512 * 16;
  const double communication =
      4 * (6 * (7.47e-6 + bytes / 5.80e9) + 2 * (16.9e-6 + bytes / 4.29e9));
  const double compute = tsubame_compute / 256;
  EXPECT_NEAR(exposed.total_s, communication, 1e-15);
  EXPECT_NEAR(exposed.hidden_fraction, compute / communication, 1e-12);
  EXPECT_NEAR(term(exposed, "compute.interior") + term(exposed, "network") + term(exposed, "copy"),
              exposed.total_s, 1e-15);
}

TEST(StencilPaper, UsesUnalignedBuffersWhereThePaperDid) {
  const Decomposition decomposition({192, 512, 512}, {1, 2, 2}, true);
  const Prediction prediction =
      predict_stencil_paper(find_machine("tsubame2.0"), lattice_boltzmann_stencil(), decomposition,
                            {.overlap = false}, {.ranks_per_node = 3});
  const double bytes = 13 * 4. * 192 * 256;
  EXPECT_NEAR(term(prediction, "network"), 4 * 6 * (6.07e-6 + bytes / 3.67e9), 1e-14);
  EXPECT_NEAR(term(prediction, "compute.interior"), 476 * 192. * 256 * 256 / 214.5e9, 1e-5);
}

TEST(StencilPaper, OneGpuToANodeDoesNotShareTheNetwork) {
  const Prediction prediction =
      predict_stencil_paper(find_machine("cray-xk6m"), diffusion_stencil(), two_dimensional,
                            {.overlap = false}, {.ranks_per_node = 1});
  EXPECT_NEAR(term(prediction, "network"), 4 * 2 * (3.75e-6 + face_bytes / 9.87e9), 1e-15);
  EXPECT_NEAR(term(prediction, "copy"), 4 * 2 * (41.5e-6 + face_bytes / 6.34e9), 1e-15);
}

TEST(StencilPaper, DeviceBuffersNeedNoCopy) {
  const Prediction prediction =
      predict_stencil_paper(find_machine("tsubame2.0"), diffusion_stencil(), two_dimensional,
                            {.overlap = false, .staged = false}, {.ranks_per_node = 3});
  EXPECT_NEAR(prediction.total_s, tsubame_compute + tsubame_network, 1e-15);
}

TEST(StencilPaper, OneRankOnlyComputes) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  for (const bool overlap : {false, true}) {
    const Prediction prediction = predict_stencil_paper(
        find_machine("tsubame2.0"), diffusion_stencil(), decomposition, {.overlap = overlap}, {});
    ASSERT_EQ(prediction.terms.size(), 1u);
    EXPECT_NEAR(prediction.total_s, 64 * 64 * 64 * (13 / 1030e9 + 32 / 148e9), 1e-15);
  }
}

TEST(StencilPaper, TakesAMeasuredRate) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 1}, true);
  const Prediction prediction = predict_stencil_paper(
      find_machine("tsubame2.0"), diffusion_stencil(), decomposition, {}, {}, 2e9);
  EXPECT_DOUBLE_EQ(prediction.total_s, 64 * 64 * 64 / 2e9);
}

TEST(StencilPaper, CpuUsesSharedMemoryOnANodeAndStaging) {
  const Decomposition decomposition({64, 64, 64}, {1, 1, 2}, true);
  const Prediction prediction = predict_stencil_paper(full_machine(), diffusion_stencil(),
                                                      decomposition, {}, {.ranks_per_node = 4});
  const double bytes = 4. * 64 * 64;
  EXPECT_NEAR(term(prediction, "network"), 2 * 2 * (5e-7 + bytes / 4e9), 1e-15);
  EXPECT_NEAR(term(prediction, "copy"), 2 * 2 * (1e-7 + bytes / 5e9), 1e-15);
  EXPECT_LT(prediction.low_s, prediction.total_s);
  EXPECT_GT(prediction.high_s, prediction.total_s);
}

TEST(StencilPaper, SlowestRankIsTheSlowestOfAll) {
  // Along z between walls with two ranks to a node, ranks 0 and 5 have one neighbour.
  const Decomposition decomposition({16, 16, 20}, {1, 1, 6}, false);
  const Prediction prediction = predict_stencil_paper(
      full_machine(), diffusion_stencil(), decomposition, {.staged = false}, {.ranks_per_node = 2});
  const double bytes = 4. * 16 * 16;
  const double compute = 16 * 16 * 4 * (13 / 1e11 + 32 / 1e10);
  const double both = 2 * (5e-7 + bytes / 4e9) + 2 * 2 * (2e-6 + bytes / 1e9);
  EXPECT_NEAR(prediction.total_s, compute + both, 1e-15);
}

TEST(StencilPaper, SaysThatAnotherPrecisionsPeakWasUsed) {
  const Prediction prediction =
      predict_stencil_paper(find_machine("tsubame2.0"), diffusion_stencil(), two_dimensional,
                            {.precision = "f64"}, {.ranks_per_node = 3});
  ASSERT_EQ(prediction.outside_range.size(), 1u);
  EXPECT_NE(prediction.outside_range[0].find("f64"), std::string::npos);
}

TEST(StencilPaper, MissingNetworkIsBadInput) {
  Machine machine = full_machine();
  machine.links.erase("network");
  EXPECT_THROW(predict_stencil_paper(machine, diffusion_stencil(), two_dimensional, {},
                                     {.ranks_per_node = 2}),
               BadInput);
}

}  // namespace
}  // namespace bellwether
