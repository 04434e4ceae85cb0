// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "models/errors.hpp"
#include "models/stencil/stencil_work.hpp"
#include "models/stencil/stencil_workload_test.hpp"
#include "models/stencil/test_stencils.hpp"

namespace bellwether {
namespace {

std::map<std::string, KernelWork> by_term(const RankWorkload& workload) {
  std::map<std::string, KernelWork> terms;
  for (const TermWork& work : workload.kernels) terms[work.term] = work;
  return terms;
}

TEST(StencilWorkload, OneRankOnlyUpdatesItsCells) {
  const Decomposition decomposition({10, 8, 6}, {1, 1, 1}, true);
  const RankWorkload workload =
      stencil_workload(diffusion_stencil(), decomposition, 0, {.overlap = true});
  ASSERT_EQ(workload.kernels.size(), 1u);
  const TermWork& work = workload.kernels[0];
  EXPECT_EQ(work.term, "compute.interior");
  EXPECT_EQ(work.cells, 480);
  EXPECT_EQ(work.flops, 13 * 480);
  EXPECT_EQ(work.bytes, 4 * (480 + 2 * (80 + 48 + 60) + 480));
  EXPECT_EQ(work.rereads, 4);
  EXPECT_EQ(work.launches, 1);
  EXPECT_TRUE(workload.messages.empty());
  EXPECT_EQ(workload.working_set_bytes, 2 * 480 * 4);
}

TEST(StencilWorkload, WithoutOverlapTheUpdateIsOneKernel) {
  const Decomposition decomposition({10, 8, 12}, {1, 1, 2}, true);
  const auto terms =
      by_term(stencil_workload(diffusion_stencil(), decomposition, 0, {.precision = "f64"}));
  EXPECT_EQ(terms.count("compute.boundary"), 0u);
  EXPECT_EQ(terms.at("compute.interior").cells, 480);
  EXPECT_EQ(terms.at("pack").bytes, 2 * 80 * 2 * 8);
  EXPECT_EQ(terms.at("pack").launches, 1);
  EXPECT_EQ(terms.at("unpack").bytes, terms.at("pack").bytes);
}

TEST(StencilWorkload, DividesTheUpdateWithOverlap) {
  const Decomposition decomposition({20, 16, 12}, {2, 2, 2}, true);
  const RankWorkload workload =
      stencil_workload(diffusion_stencil(), decomposition, 0, {.overlap = true});
  const auto terms = by_term(workload);
  // 10 x 8 x 6 cells: z slabs 10 x 8, y slabs 10 x 1 x 4, x slabs 1 x 6 x 4, two of each.
  EXPECT_EQ(terms.at("compute.boundary").launches, 6);
  EXPECT_EQ(terms.at("compute.boundary").cells, 2 * (80 + 40 + 24));
  EXPECT_EQ(terms.at("compute.interior").cells, 8 * 6 * 4);
  const double z_slab = 80 + (80 + 2 * (80 + 8 + 10));
  const double y_slab = 40 + (40 + 2 * (10 + 4 + 40));
  const double x_slab = 24 + (24 + 2 * (6 + 24 + 4));
  EXPECT_EQ(terms.at("compute.boundary").bytes, 4 * 2 * (z_slab + y_slab + x_slab));
  // Faces: x 8 x 6 cells in a line each, y 10 x 6, z 10 x 8.
  EXPECT_EQ(terms.at("pack").bytes, 2 * 48 * (64 + 4) + 2 * (60 + 80) * 8);
  EXPECT_EQ(terms.at("pack").cells, 2 * (48 + 60 + 80));
  ASSERT_EQ(workload.messages.size(), 6u);
  EXPECT_EQ(workload.messages[0].bytes, 48 * 4);
  EXPECT_EQ(workload.messages[5].bytes, 80 * 4);
  EXPECT_EQ(workload.messages[5].neighbour, 4);
}

/// 10 x 8 x 6 cells: rows with their ghost cells take 96 bytes, 128 in lines.
TEST(StencilWorkload, DirectHalosSendPlanesAsTheyStand) {
  const Decomposition decomposition({20, 16, 12}, {2, 2, 2}, true);
  const StencilVariant direct{.precision = "f64", .staged = false};
  const RankWorkload workload = stencil_workload(diffusion_stencil(), decomposition, 0, direct);
  const KernelWork pack = by_term(workload).at("pack");
  EXPECT_EQ(pack.bytes, 2 * 48 * (64 + 8) + 2 * 60 * 16);
  EXPECT_EQ(pack.cells, 2 * (48 + 60));
  ASSERT_EQ(workload.messages.size(), 6u);
  EXPECT_EQ(workload.messages[0].bytes, 48 * 8);
  EXPECT_EQ(workload.messages[2].bytes, 60 * 8);
  EXPECT_EQ(workload.messages[5].bytes, 7 * 128 + 10 * 8);
  const Decomposition along_z({10, 8, 12}, {1, 1, 2}, true);
  EXPECT_EQ(by_term(stencil_workload(diffusion_stencil(), along_z, 0, direct)).count("pack"), 0u);
  // Several values of a cell stand in as many arrays.
  EXPECT_EQ(
      by_term(stencil_workload(lattice_boltzmann_stencil(), along_z, 0, direct)).count("pack"), 1u);
}

TEST(StencilWorkload, CellsAreDividedWithoutLossHoweverThin) {
  for (const std::array<int, 3> cells : {std::array{2, 2, 2}, {4, 2, 6}, {3, 5, 2}, {9, 8, 7}}) {
    for (const bool periodic : {false, true}) {
      const Decomposition decomposition(cells, {2, 2, 2}, periodic);
      for (int rank = 0; rank < decomposition.size(); ++rank) {
        const auto terms =
            by_term(stencil_workload(diffusion_stencil(), decomposition, rank, {.overlap = true}));
        const auto local = decomposition.local_cells(rank);
        EXPECT_EQ(terms.at("compute.boundary").cells + terms.at("compute.interior").cells,
                  local[0] * local[1] * local[2]);
      }
    }
  }
}

TEST(StencilWorkload, RankAtAWallExchangesLess) {
  const Decomposition decomposition({8, 8, 12}, {1, 1, 3}, false);
  EXPECT_EQ(stencil_workload(diffusion_stencil(), decomposition, 0, {}).messages.size(), 1u);
  EXPECT_EQ(stencil_workload(diffusion_stencil(), decomposition, 1, {}).messages.size(), 2u);
}

TEST(StencilWorkload, SendsSeveralValuesOfACell) {
  const Decomposition decomposition({8, 8, 12}, {1, 1, 3}, true);
  const RankWorkload workload =
      stencil_workload(lattice_boltzmann_stencil(), decomposition, 0, {.precision = "f64"});
  EXPECT_EQ(workload.messages[0].bytes, 64 * 5 * 8);
  EXPECT_EQ(by_term(workload).at("pack").launches, 1);
}

TEST(StencilWorkload, OneLatticeInPlaceTouchesEachValueOnce) {
  const Decomposition decomposition({8, 8, 12}, {1, 1, 3}, true);
  const RankWorkload workload =
      stencil_workload(lattice_boltzmann_stencil(), decomposition, 0, {.precision = "f64"});
  EXPECT_EQ(workload.working_set_bytes, 19 * 8 * 8 * 4 * 8);
  EXPECT_EQ(by_term(workload).at("compute.interior").bytes, 2 * 19 * 8 * 8 * 4 * 8);
}

TEST(StencilWorkload, EdgesHaveMessagesOfTheirOwn) {
  const Decomposition decomposition({10, 8, 12}, {1, 2, 3}, true);
  const RankWorkload workload = stencil_workload(lattice_boltzmann_stencil(), decomposition, 0, {});
  ASSERT_EQ(workload.messages.size(), 4u + 4);
  // 10 x 4 x 4 cells: faces across y and z of 40, the edges between them of 10 cells along x.
  const double face = 4 * (5 * 40 - 2 * 10), edge = 4 * 10;
  for (int message = 0; message < 4; ++message) EXPECT_EQ(workload.messages[message].bytes, face);
  for (int message = 4; message < 8; ++message) {
    EXPECT_EQ(workload.messages[message].bytes, edge);
    EXPECT_EQ(workload.messages[message].neighbour % 2, 1);
  }
  const auto terms = by_term(workload);
  EXPECT_EQ(terms.at("pack").bytes, 2 * (4 * face + 4 * edge));  // all of them rows
  EXPECT_EQ(terms.at("pack").launches, 1);
}

TEST(StencilWorkload, RefusesAnUnknownPrecision) {
  const Decomposition decomposition({8, 8, 12}, {1, 1, 3}, true);
  EXPECT_THROW(stencil_workload(diffusion_stencil(), decomposition, 0, {.precision = "f16"}),
               BadInput);
}

/// Section 6.2 of the paper, and the velocities of D3Q19: at most two of x, y, z move at once.
TEST(LatticeBoltzmann, CountsAsThePaperAndAsItsVelocities) {
  const StencilKernel kernel = lattice_boltzmann();
  EXPECT_EQ(kernel.paper_flops, 476);
  EXPECT_NEAR(kernel.paper_flops / (4 * kernel.accessed_values), 1.83, 1e-12);
  EXPECT_EQ(kernel.paper_halo_values, 13);
  EXPECT_FALSE(kernel.paper_aligned_buffers);
  int velocities = 0;
  int through_one_face = 0, through_one_edge = 0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        if (x * y * z != 0) continue;
        ++velocities;
        if (x == 1) ++through_one_face;
        if (x == 1 && y == 1) ++through_one_edge;
      }
  EXPECT_EQ(kernel.read_values, velocities);
  EXPECT_EQ(kernel.written_values, velocities);
  EXPECT_EQ(kernel.halo_values, through_one_face);
  EXPECT_EQ(kernel.edge_values, through_one_edge);
}

}  // namespace
}  // namespace bellwether
