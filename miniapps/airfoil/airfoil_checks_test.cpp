// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_checks.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bellwether {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon() / 2;

/// Of a flow whose fluxes are of order 1.
AirfoilResidual quiet() {
  const AirfoilSums flux{.total = {0.25, -0.125, 0.5, 1}};
  return {.all = flux,
          .boundary = flux,
          .away_from_wall = {},
          .flow = {.magnitude = {1, 0.5, 0.1, 2.5}}};
}

TEST(AirfoilChecks, NamesWhatIsNotFinite) {
  EXPECT_TRUE(finite_flow({}, 7).passed);
  const Verification found = finite_flow({.count = 3, .first = 1234, .rank = 2}, 7);
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.what, "values not finite: iteration 7, rank 2, cell 1234, the first of 3");
  EXPECT_EQ(found.value, 3);
}

TEST(AirfoilChecks, ConservationFailsBeyondRounding) {
  EXPECT_TRUE(conservation(quiet(), 1000, unit).passed);
  for (int k = 0; k < 4; ++k) {
    AirfoilResidual residual = quiet();
    residual.all.total[k] += 4 * unit;
    EXPECT_TRUE(conservation(residual, 1000, unit).passed);
    residual.all.total[k] += 100 * unit;
    EXPECT_FALSE(conservation(residual, 1000, unit).passed) << k;
    residual.all.total[k] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(conservation(residual, 1000, unit).passed) << k;
  }
}

TEST(AirfoilChecks, FreeStreamFailsBeyondRounding) {
  EXPECT_TRUE(free_stream_preserved(quiet(), unit).passed);
  for (int k = 0; k < 4; ++k) {
    AirfoilResidual residual = quiet();
    residual.away_from_wall.magnitude[k] = 200 * unit;
    EXPECT_FALSE(free_stream_preserved(residual, unit).passed) << k;
  }
}

TEST(AirfoilChecks, FluxesAreBoundedByTheFlowsOwn) {
  // One cell of unit adt at rest, density 1, pressure 1: nothing passes its sides but pressure, at
  // most CFL adt p / c in each direction.
  const double gamma = 1.4f, cfl = 0.9f;
  const AirfoilSums still{{}, {1, 0, 0, 1 / (gamma - 1)}};
  const auto most = largest_fluxes(still);
  const double pressure = cfl / std::sqrt(gamma);
  EXPECT_GE(most[1], pressure);
  EXPECT_LE(most[1], 2.5 * pressure);
  EXPECT_EQ(most[1], most[2]);
  EXPECT_NEAR(most[0], 2 * cfl, 1e-15);
}

TEST(AirfoilChecks, RmsOfTheReference) {
  EXPECT_TRUE(rms_of_reference(1.060114637578e-4).passed);
  EXPECT_TRUE(rms_of_reference(1.0601147e-4).passed);
  EXPECT_FALSE(rms_of_reference(1.060116e-4).passed);
  EXPECT_FALSE(rms_of_reference(std::numeric_limits<double>::quiet_NaN()).passed);
}

TEST(AirfoilChecks, RmsMustFall) {
  EXPECT_TRUE(rms_fallen(2e-3, 2e-3, 1, unit).passed);
  EXPECT_TRUE(rms_fallen(1.9e-3, 2e-3, 2, unit).passed);
  EXPECT_FALSE(rms_fallen(2.1e-3, 2e-3, 2, unit).passed);
  EXPECT_TRUE(rms_fallen(1.1e-3, 2e-3, 199, unit).passed);
  EXPECT_FALSE(rms_fallen(1.1e-3, 2e-3, 200, unit).passed);
  EXPECT_TRUE(rms_fallen(9e-4, 2e-3, 100000, unit).passed);
  for (const long iterations : {1, 1000}) {
    EXPECT_TRUE(rms_fallen(unit, 0, iterations, unit).passed);
    EXPECT_FALSE(rms_fallen(100 * unit, 0, iterations, unit).passed);
    EXPECT_FALSE(
        rms_fallen(std::numeric_limits<double>::infinity(), 2e-3, iterations, unit).passed);
    EXPECT_FALSE(
        rms_fallen(std::numeric_limits<double>::quiet_NaN(), 2e-3, iterations, unit).passed);
  }
}

TEST(AirfoilChecks, RmsMustNotJump) {
  EXPECT_TRUE(rms_without_jump(1.4e-5, 1e-5, unit).passed);
  EXPECT_FALSE(rms_without_jump(4e-5, 1e-5, unit).passed);
  EXPECT_TRUE(rms_without_jump(unit, 0, unit).passed);
  EXPECT_FALSE(rms_without_jump(std::numeric_limits<double>::quiet_NaN(), 1e-5, unit).passed);
}

}  // namespace
}  // namespace bellwether
