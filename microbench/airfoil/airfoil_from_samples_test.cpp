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
  const auto device = make_device("kokkos", 0);
  const bool gathers = default_increments(*device, true) == Increments::gather;
  const bool in_tiles = device->is_sequential();
  const auto sizes_of = [&](AirfoilLoop loop) -> std::size_t {
    if (loop == AirfoilLoop::stage) return gathers ? 2 : 1;
    if (loop == AirfoilLoop::update_adt) return in_tiles ? 0 : 2;
    if (loop == AirfoilLoop::tiled_stage) return in_tiles && !gathers ? 2 : 0;
    return 2;
  };
  for (const auto& [precision, curves] : section<AirfoilParameters>(machine)->loops) {
    for (std::size_t loop = 0; loop < curves.size(); ++loop) {
      SCOPED_TRACE(airfoil_loop_names[loop]);
      ASSERT_EQ(curves[loop].size(), sizes_of(static_cast<AirfoilLoop>(loop)));
      for (const AirfoilLoopPoint& point : curves[loop])
        EXPECT_GT(point.seconds_per_element.value, 0);
    }
    const auto elements = [&curves = curves](AirfoilLoop loop) {
      return curves[static_cast<std::size_t>(loop)].back().elements;
    };
    if (!gathers) {
      EXPECT_EQ(elements(in_tiles ? AirfoilLoop::tiled_stage : AirfoilLoop::update_adt), 96 * 48);
    }
    EXPECT_EQ(elements(AirfoilLoop::stage), gathers ? 96 * 48 : 1458);
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
