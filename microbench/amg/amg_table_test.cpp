// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "microbench/amg/amg.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/machine/full_machine.hpp"

namespace bellwether {
namespace {

std::string table_of(const Machine& machine) {
  ParameterTable table;
  amg_table(machine, table);
  return table.text();
}

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST(AmgTable, ShowsWhatTheMachineHas) {
  Machine machine = full_machine();
  const std::string both = table_of(machine);
  for (const char* what :
       {"time per flop, level 1+", "bandwidth, 2 threads", "residual", "Gauss-Seidel sweep",
        "l1-Jacobi sweep", "Chebyshev sweep", "coarse solve", "waited",
        "y = y + a x, of each thread", "interpolation", "restriction",
        "a call on 100 rows of 7 entries, cold", "an entry, 20 in a row"})
    EXPECT_TRUE(has(both, what)) << what << "\n" << both;
  AmgParameters& parameters = *section<AmgParameters>(machine);
  const AmgKernelParameters kernels = *parameters.kernels;
  parameters.kernels.reset();
  EXPECT_FALSE(has(table_of(machine), "residual"));
  parameters = {};
  parameters.kernels = kernels;
  EXPECT_FALSE(has(table_of(machine), "time per flop"));
  machine.sections.erase("amg");
  EXPECT_EQ(table_of(machine), "");
}

}  // namespace
}  // namespace bellwether
