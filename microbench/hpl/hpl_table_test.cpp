// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "microbench/hpl/hpl.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/full_machine.hpp"

namespace bellwether {
namespace {

constexpr const char* golden = R"table(
HPL
  dgemm                          40.0 [36.0, 44.0]         GFlop/s  large matrices
    at half rate from k          30.0 [27.0, 33.0]                  with m and n large
    k = 64                       27.0 [24.3, 29.7]         GFlop/s  m and n large
    k = 256                      36.0 [32.4, 39.6]         GFlop/s  m and n large
  inv(L11) W, 64                 15.0 [13.5, 16.5]         GFlop/s  w^2 n flops
  inv(L11) W, 256                20.0 [18.0, 22.0]         GFlop/s  w^2 n flops
  panel, 4096 x 64               4.00 [3.60, 4.40]         ms       factored on the device
  panel, 4096 x 256              30.0 [27.0, 33.0]         ms       factored on the device
  panels on the device           10.0 [9.00, 11.0]         GFlop/s  and of each column
    a column                     5.00 [4.50, 5.50]         us       launches
    U = L11^-1 W, 64             12.0 [10.8, 13.2]         GFlop/s  w^2 n flops
  panel copies                   5.00 [4.50, 5.50]         GB/s     bytes read plus bytes written
  row swaps                      4.00 [3.60, 4.40]         GB/s     bytes read plus bytes written
  solve                          8.00 [7.20, 8.80]         GB/s     of U
  panels within a node           3.00 [2.70, 3.30]         GB/s     of a panel
  pivot exchange                 1.20 [1.08, 1.32]         us       a round within a node
)table";

TEST(HplTable, SaysWhatEachOperationCosts) {
  Machine machine = full_machine();
  section<HplParameters>(machine)->simulation.reset();
  ParameterTable table;
  hpl_table(machine, table);
  EXPECT_EQ(table.text(), golden);
}

TEST(HplTable, IsEmptyWithoutTheSection) {
  ParameterTable table;
  hpl_table({}, table);
  EXPECT_EQ(table.text(), "");
}

}  // namespace
}  // namespace bellwether
