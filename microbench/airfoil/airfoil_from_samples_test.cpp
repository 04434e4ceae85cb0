// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil.hpp"

#include <gtest/gtest.h>

#include "microbench/driver/toy_calibration_test.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {
namespace {

TEST(Calibrate, MeasuresAirfoilsLoopsOnEachMesh) {
  const auto& [machine, samples] = toy_calibration();
  ASSERT_TRUE(section<AirfoilParameters>(machine));
  ASSERT_EQ(section<AirfoilParameters>(machine)->loops.size(), 2u);
  EXPECT_EQ(section<AirfoilParameters>(machine)->increments,
            name_of(default_increments(*make_device("kokkos", 0), false)));
  const bool in_tiles = make_device("kokkos", 0)->is_sequential();
  const AirfoilLoop own = in_tiles ? AirfoilLoop::tiled_stage : AirfoilLoop::update_adt;
  const auto absent =
      static_cast<std::size_t>(in_tiles ? AirfoilLoop::update_adt : AirfoilLoop::tiled_stage);
  for (const auto& [precision, curves] : section<AirfoilParameters>(machine)->loops) {
    for (std::size_t loop = 0; loop < curves.size(); ++loop) {
      SCOPED_TRACE(airfoil_loop_names[loop]);
      // A CPU does not gather unless it is asked to, and one thread goes through tiles.
      const std::size_t sizes = loop == static_cast<std::size_t>(AirfoilLoop::stage) ? 1u
                                : loop == absent                                     ? 0u
                                                                                     : 2u;
      ASSERT_EQ(curves[loop].size(), sizes);
      for (const AirfoilLoopPoint& point : curves[loop])
        EXPECT_GT(point.seconds_per_element.value, 0);
    }
    const auto elements = [&curves = curves](AirfoilLoop loop) {
      return curves[static_cast<std::size_t>(loop)].back().elements;
    };
    EXPECT_EQ(elements(own), 96 * 48);
    EXPECT_EQ(elements(AirfoilLoop::stage), 1458);
    EXPECT_EQ(elements(AirfoilLoop::res_calc), 95 * 48 + 96 * 47 + 32);
    EXPECT_EQ(elements(AirfoilLoop::bres_calc), 32 + 96 + 2 * 48);
  }
  // A loop's own cost, of two calls in an iteration.
  const Quantity& update = section<AirfoilParameters>(machine)
                               ->loops.at("f64")[static_cast<std::size_t>(AirfoilLoop::update)]
                               .front()
                               .seconds_per_element;
  const Quantity sampled = quantity_of(samples.by_name().at("airfoil/five/f64/cells:1458/update"));
  EXPECT_DOUBLE_EQ(update.value * 1458 * 2, sampled.value);
  EXPECT_LT(sampled.value, quantity_of(samples.by_name().at("airfoil/five/f64/cells:1458")).value);
}

}  // namespace
}  // namespace bellwether
