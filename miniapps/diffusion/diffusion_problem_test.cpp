// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/stencil/stencil_model.hpp"

namespace bellwether {
namespace {

std::string refusal(const DiffusionProblem& problem) {
  try {
    validate(problem);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DiffusionProblem, RefusalsNameTheOptionAndWhatWasFound) {
  EXPECT_EQ(refusal({{1, 1, 1}}), "accepted");
  EXPECT_EQ(refusal({{8, 0, 8}}), "--cells: found 0, expected three numbers from 1 to 1073741824");
  EXPECT_EQ(refusal({{8, 8, -1}}),
            "--cells: found -1, expected three numbers from 1 to 1073741824");
  EXPECT_EQ(refusal({{99999999999, 8, 8}}),
            "--cells: found 99999999999, expected three numbers from 1 to 1073741824");
  EXPECT_EQ(refusal({{8, 8, 8}, "f32", "axb"}),
            "decomposition: found \"axb\", expected \"auto\" or PXxPYxPZ, for example 1x2x4");
}

/// So that no size computed from an accepted problem wraps around.
TEST(DiffusionProblem, MoreCellsThanAddressesAreRefused) {
  constexpr long long most = 1 << 30;
  const std::string message = refusal({{most, most, most}});
  EXPECT_NE(message.find("--cells: found 1073741824 x 1073741824 x 1073741824"), std::string::npos)
      << message;
  EXPECT_EQ(refusal({{20000, 20000, 20000}}), "accepted");
}

Decomposition decomposed(const char* shape, int ranks, const Machine* machine = nullptr) {
  const DiffusionProblem problem{{40, 30, 50}, "f32", shape};
  return decompose(problem, diffusion_stencil(), ranks, machine, {}, {4});
}

TEST(DiffusionProblem, TheDecompositionMustBeTheRanks) {
  EXPECT_EQ(decomposed("2x1x3", 6).ranks(), (std::array{2, 1, 3}));
  try {
    decomposed("2x2x2", 2);
    FAIL() << "not refused";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "--decomposition: 2x2x2 is for 8 ranks, and there are 2 (mpirun -n 8, or "
                 "--decomposition auto)");
  }
  EXPECT_THROW(decomposed("41x1x1", 41), BadInput);
  EXPECT_THROW(decomposed("60000x60000x60000", 2), BadInput);
}

TEST(DiffusionProblem, AutoIsTheLeastSurfaceWithoutAMachineAndThePredictedFastestWithOne) {
  EXPECT_EQ(decomposed("auto", 2).ranks(), least_surface(2, {40, 30, 50}));
  const Machine machine = find_machine("tsubame2.0");
  EXPECT_EQ(decomposed("auto", 8, &machine).ranks(),
            fastest_decomposition(machine, diffusion_stencil(), {40, 30, 50}, 8, true, {}, {4}));
}

TEST(DiffusionProblem, TheModeFitsTheBoundariesAndIsNotFlat) {
  for (const int cells : {1, 2, 3, 17, 64, 130, 1000}) {
    for (int direction = 0; direction < 3; ++direction) {
      const auto value = [&](const ModeDirection& wave, int cell) {
        return std::sin(wave.phase + wave.angle * cell);
      };
      const ModeDirection wave = mode_direction(cells, true, direction);
      EXPECT_NEAR(value(wave, cells), value(wave, 0), 1e-10);
      const ModeDirection walled = mode_direction(cells, false, direction);
      EXPECT_NEAR(value(walled, -1), 0, 1e-15);
      EXPECT_NEAR(value(walled, cells), 0, 1e-10);
      EXPECT_GT(std::abs(value(walled, (cells - 1) / 2)), 0.01);
      // At most 64 cells a wavelength, as documented: else the decay would not show.
      EXPECT_GE(wave.angle, 2 * std::numbers::pi / 64);
      EXPECT_GE(walled.angle, 2 * std::numbers::pi / 64 * cells / (cells + 1) - 1e-15);
    }
  }
}

}  // namespace
}  // namespace bellwether
