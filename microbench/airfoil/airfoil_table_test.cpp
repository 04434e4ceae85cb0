// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

Machine example() {
  Machine machine;
  set_section(machine, AirfoilParameters{});
  for (auto& points : section<AirfoilParameters>(machine)->loops["f64"])
    points = {{3000, {5e-9, 4e-9, 6e-9, {}}},
              {30000, {4e-9, 4e-9, 5e-9, {}}},
              {1e6, {1e-8, 1e-8, 1.2e-8, {}}}};
  constexpr auto update_adt = static_cast<std::size_t>(AirfoilLoop::update_adt);
  section<AirfoilParameters>(machine)->loops["f64"][update_adt].clear();
  section<AirfoilParameters>(machine)->loops["f32"][update_adt] = {
      {720000, {9e-9, 9e-9, 9e-9, "a paper"}}};
  return machine;
}

constexpr const char* golden = R"table(
airfoil loops, f32: ns [95 %] for one of a call's elements
  update_adt                     9.00                      ns       over 720000 (a paper)

airfoil loops, f64: ns [95 %] for one of a call's elements
                   fewest                               least                                most
  save_soln       5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  adt_calc        5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  res_calc        5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  bres_calc       5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  update          5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  stage           5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
  tiled_stage     5.00 [4.00, 6.00]    over 3000          4.00 [4.00, 5.00]    over 30000         10.0 [10.0, 12.0]    over 1000000
)table";

TEST(AirfoilTable, SaysWhatEachLoopCosts) {
  ParameterTable table;
  airfoil_table(Machine{}, table);
  EXPECT_EQ(table.text(), "");
  airfoil_table(example(), table);
  EXPECT_EQ(table.text(), golden);
}

}  // namespace
}  // namespace bellwether
