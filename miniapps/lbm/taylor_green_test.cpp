// SPDX-License-Identifier: MIT
#include "miniapps/lbm/taylor_green.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "miniapps/lbm/vortex_decay.hpp"

namespace bellwether {
namespace {

using Point = std::array<double, 3>;

double velocity(const TaylorGreen& flow, int component, const Point& at) {
  double product = 1;
  for (int d = 0; d < 3; ++d) product *= flow.factor(component, d, at[d], 0);
  return product;
}
double pressure(const TaylorGreen& flow, const Point& at) {
  return flow.pressure(0, at[0]) + flow.pressure(1, at[1]) + flow.pressure(2, at[2]);
}
/// Along direction d, by a difference of fourth order.
template <class Field>
double derivative(const Field& field, Point at, int d) {
  constexpr double h = 0.01;
  const auto off = [&](double by) {
    Point moved = at;
    moved[d] += by;
    return field(moved);
  };
  return (8 * (off(h) - off(-h)) - (off(2 * h) - off(-2 * h))) / (12 * h);
}

/// div u = 0 and u . grad u = - grad p: what is left of the equations decays as exp(-nu k^2 t).
TEST(TaylorGreen, SolvesTheIncompressibleEquations) {
  for (const std::array<int, 3> cells :
       {std::array{9, 8, 12}, {30, 130, 64}, {16, 2, 40}, {3, 1, 7}, {3, 9, 2}}) {
    const TaylorGreen flow(cells);
    double fastest = 0;
    for (const Point& at : {Point{0, 0, 0}, {1.3, 2.2, 5.1}, {7, 3.5, 0.4}, {2, 6, 9}}) {
      double divergence = 0;
      for (int d = 0; d < 3; ++d) {
        divergence += derivative([&](Point x) { return velocity(flow, d, x); }, at, d);
        double acceleration = derivative([&](Point x) { return pressure(flow, x); }, at, d);
        for (int e = 0; e < 3; ++e)
          acceleration += velocity(flow, e, at) *
                          derivative([&](Point x) { return velocity(flow, d, x); }, at, e);
        EXPECT_NEAR(acceleration, 0, 1e-7);
        fastest = std::max(fastest, std::abs(velocity(flow, d, at)));
      }
      EXPECT_NEAR(divergence, 0, 1e-7);
    }
    EXPECT_LE(fastest, 1);
    EXPECT_GT(fastest, 0.1);
  }
}

/// What is divided first varies most: z and y, before x.
TEST(TaylorGreen, VariesAlongZAndYInWavesOfAtMost64Cells) {
  const double turn = 2 * std::numbers::pi;
  EXPECT_EQ(TaylorGreen({32, 64, 65}).wave_vector(), (Point{0, turn / 64, 2 * turn / 65}));
  EXPECT_EQ(TaylorGreen({32, 3, 16}).wave_vector(), (Point{turn / 32, 0, turn / 16}));
  EXPECT_EQ(TaylorGreen({1, 3, 16}).wave_vector(), (Point{0, 0, turn / 16}));
  EXPECT_TRUE(TaylorGreen({3, 3, 3}).is_still());
  EXPECT_FALSE(TaylorGreen({1, 1, 4}).is_still());
}

/// With tau = 1 a step sends out an equilibrium: a shear wave along an axis is multiplied by
/// sum of w_i (1 + ...) e^(-i k c) = (2 + cos k) / 3, by hand.
TEST(LinearDecay, IsTheFactorKnownByHandWhereTauIsOne) {
  for (const double k : {0.1, 0.7, 1.5}) {
    LinearDecay decay({0, 0, k}, 1, {});
    for (const long steps : {1L, 2L, 17L, 5L})
      EXPECT_NEAR(decay.amplitude(steps), std::pow((2 + std::cos(k)) / 3, steps), 1e-13);
  }
}

/// Long waves decay by the viscosity, whatever tau and drift, with an error of O(k^2) and, with a
/// drift, O(Ma^2); the passage from the initial equilibrium is (tau - 1)^2 k^2 / 3 in all.
TEST(LinearDecay, IsTheViscositysForLongWaves) {
  for (const double tau : {0.55, 0.8, 1.0, 2.0}) {
    for (const Point& drift : {Point{0, 0, 0}, {0.01, 0.05, -0.03}}) {
      const Point wave{0, 0.02, 0.01};
      const double square = 0.0005, nu = (tau - 0.5) / 3;
      LinearDecay decay(wave, tau, drift);
      const double early = decay.amplitude(200), late = decay.amplitude(1200);
      const double mach_squared = 3 * (0.01 * 0.01 + 0.05 * 0.05 + 0.03 * 0.03);
      const double known = 2 * square + (drift[1] == 0 ? 0 : mach_squared);
      EXPECT_NEAR(std::log(early / late) / (square * 1000), nu, nu * known);
      if (drift[1] != 0) continue;
      EXPECT_NEAR(-std::log(early), square * (200 * nu - (tau - 1) * (tau - 1) / 3),
                  square * (0.01 * nu * 200));
    }
  }
}

/// Not one of the errors that the check allows for.
TEST(LinearDecay, TellsViscositiesApart) {
  LinearDecay right({0, 0.2, 0.2}, 0.8, {}), wrong({0, 0.2, 0.2}, 0.81, {});
  EXPECT_GT(std::log(right.amplitude(100) / wrong.amplitude(100)), 0.02);
}

}  // namespace
}  // namespace bellwether
