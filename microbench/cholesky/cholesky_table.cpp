// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "microbench/driver/registry.hpp"
#include "models/cholesky/start_up_parameters.hpp"

namespace bellwether {
namespace {

void cholesky_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<StartUpParameters>(machine);
  if (own == nullptr) return;
  const StartUpParameters& start_up = *own;
  table.heading(
      fmt::format("efficiency and start-up of column Cholesky, {}, summation over a {}: E "
                  "of the peak, t0",
                  start_up.precision, start_up.summation));
  const auto pair = [&](const std::string& name, const EfficiencyAndStartUp& value,
                        const std::string& meaning) {
    table.row(name + ", E", value.efficiency, 100, "%", meaning);
    table.row(name + ", t0", value.start_up_s, 1e6, "us", "");
  };
  table.row("peak", start_up.peak_flops_per_s, 1e-9, "GFlop/s", "R_a, of one processor");
  table.row("peak of communication", start_up.peak_bytes_per_s, 1e-9, "GB/s", "R_c");
  pair("update", start_up.update, "E_s, t_s0 of do 20");
  pair("update in parallel", start_up.parallel_update, "E_p, t_p0 of do 20: E_p of N processors");
  pair("scaling", start_up.scaling, "E_s, t_s0 of do 30");
  pair("transfer", start_up.transfer, "E_c, t_c0 of the summation");
  if (start_up.adding) pair("adding", *start_up.adding, "E_s, t_s0 of the summation's additions");
}

std::string cholesky_line(const Machine& machine) {
  const auto* const own = section<StartUpParameters>(machine);
  if (own == nullptr) return {};
  return fmt::format("column Cholesky: efficiency and start-up, {}, summation over a {}",
                     own->precision, own->summation);
}

}  // namespace

Folder cholesky_folder() { return {{}, cholesky_table, cholesky_line}; }

}  // namespace bellwether
