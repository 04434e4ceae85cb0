// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_curve.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/scaling/rank_list.hpp"
#include "models/stencil/stencil_model.hpp"
#include "models/stencil/stencil_paper.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"

namespace bellwether {
namespace {

StencilStudy study(const std::string& ranks) {
  StencilStudy study;
  study.cells = {512, 512, 512};
  study.request.ranks = parse_rank_sweep(ranks).counts;
  study.request.ranks_per_node = 3;
  return study;
}

TEST(FastestDecomposition, IsTheFastestOfAllToTwoPercent) {
  for (const Machine& machine : {full_machine(), find_machine("tsubame2.0")}) {
    for (const int ranks : {1, 2, 6, 24}) {
      const std::array<int, 3> cells{40, 96, 64};
      const StencilVariant variant{.overlap = true};
      const auto best =
          fastest_decomposition(machine, diffusion_stencil(), cells, ranks, true, variant, {4});
      const auto total = [&](const std::array<int, 3>& parts) {
        return predict_stencil_refined(machine, diffusion_stencil(),
                                       Decomposition(cells, parts, true), variant, {4})
            .total_s;
      };
      EXPECT_EQ(best[0] * best[1] * best[2], ranks);
      for (const auto& parts : factorizations(ranks, cells))
        EXPECT_LE(total(best), 1.02 * total(parts)) << machine.name << " " << ranks;
    }
  }
}

TEST(FastestDecomposition, RefusesMoreRanksThanFit) {
  EXPECT_THROW(
      fastest_decomposition(full_machine(), diffusion_stencil(), {2, 2, 2}, 16, true, {}, {4}),
      BadInput);
}

TEST(StencilCurve, HasEveryPoint) {
  const auto points = stencil_curve(find_machine("tsubame2.0"), diffusion_stencil(), study("1:4"));
  ASSERT_EQ(points.size(), 3u * 2 * 2);
  EXPECT_EQ(points[4].ranks, 2);
  EXPECT_FALSE(points[4].overlap);
  EXPECT_EQ(points[4].form, "paper");
  EXPECT_EQ(points[5].form, "refined");
  EXPECT_EQ(points[5].prediction.form, "refined");
  EXPECT_TRUE(points[6].overlap);
  for (const ScalingPoint& point : points) {
    const auto parts = point.choice.at("decomposition").get<std::array<int, 3>>();
    EXPECT_EQ(parts[0] * parts[1] * parts[2], point.ranks);
  }
}

/// Each form lays the ranks out for itself, on machines without memory curves too.
TEST(StencilCurve, IsNeverSlowerThanTheLeastSurfaceInTheSameForm) {
  for (const char* name : {"hector", "tsubame2.0"}) {
    const Machine machine = find_machine(name);
    StencilStudy chosen;
    chosen.cells = {1024, 1024, 1024};
    chosen.request.ranks = {7, 60, 960, 1920};
    chosen.request.ranks_per_node = machine.layout.ranks_per_node;
    for (const ScalingPoint& point : stencil_curve(machine, diffusion_stencil(), chosen)) {
      StencilStudy given = chosen;
      given.decomposition = least_surface(point.ranks, chosen.cells);
      given.request.ranks = {point.ranks};
      given.request.forms = {point.form};
      given.request.overlap = {point.overlap};
      const auto least = stencil_curve(machine, diffusion_stencil(), given);
      EXPECT_LE(point.prediction.total_s, least.front().prediction.total_s * (1 + 1e-12))
          << name << " " << point.form << " " << point.ranks;
    }
  }
}

TEST(StencilCurve, KeepsAGivenDecomposition) {
  StencilStudy fixed = study("4");
  fixed.decomposition = {4, 1, 1};
  const auto points = stencil_curve(find_machine("tsubame2.0"), diffusion_stencil(), fixed);
  EXPECT_EQ(points[0].layout, "4x1x1");
  fixed.request.ranks = {8};
  EXPECT_THROW(stencil_curve(find_machine("tsubame2.0"), diffusion_stencil(), fixed), BadInput);
  fixed = study("4");
  fixed.request.forms = {"exact"};
  EXPECT_THROW(stencil_curve(find_machine("tsubame2.0"), diffusion_stencil(), fixed), BadInput);
}

TEST(StencilCurve, ReachesManyRanks) {
  StencilStudy wide = study("65536");
  wide.cells = {2048, 2048, 2048};
  wide.request.ranks_per_node = 128;
  const auto points = stencil_curve(full_machine(), diffusion_stencil(), wide);
  EXPECT_EQ(points.size(), 4u);
  for (const ScalingPoint& point : points) EXPECT_GT(point.prediction.total_s, 0);
}

TEST(CommunicationBound, IsWhereThePapersHidingEnds) {
  const auto points =
      stencil_curve(find_machine("tsubame2.0"), diffusion_stencil(), study("1:1024"));
  const auto bound = communication_bound_from(points, "paper");
  ASSERT_TRUE(bound.has_value());
  for (const ScalingPoint& point : points) {
    if (point.form != "paper" || !point.overlap || point.ranks == 1) continue;
    const bool hidden = point.prediction.hidden_fraction > 1 - 1e-9;
    EXPECT_EQ(hidden, point.ranks < *bound) << point.ranks;
  }
}

TEST(CommunicationBound, CountsAGpusCopies) {
  Machine machine = full_machine();
  machine.device.kind = "gpu";
  for (const char* copy : {"device_to_host", "host_to_device"})
    machine.links[copy].one_way = {.latency_s = Quantity::exact(1e-4),
                                   .bandwidth_bytes_per_s = Quantity::exact(1e12),
                                   .segments = {}};
  StencilStudy two;
  two.cells = {64, 64, 128};
  two.request.ranks = {2};
  two.decomposition = {1, 1, 2};
  two.request.ranks_per_node = 4;
  // 11.1 us of messages, 200 us of two copies, 127 us of interior.
  two.cells_per_s = 2e9;
  const auto bound = [&] {
    return communication_bound_from(stencil_curve(machine, diffusion_stencil(), two), "refined");
  };
  EXPECT_EQ(bound(), 2);
  two.variant.staged = false;
  EXPECT_EQ(bound(), std::nullopt);
  two.variant.staged = true;
  two.cells_per_s = 1e9;  // 254 us of interior
  EXPECT_EQ(bound(), std::nullopt);
}

}  // namespace
}  // namespace bellwether
