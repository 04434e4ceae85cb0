// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "results/reproduce/reproduction.hpp"

namespace bellwether {

/// A row of the paper's Table 2.
struct HuRow {
  int nodes = 0;
  int gpus_per_node = 0;
  long size = 0;
  int block = 0;
  double est_s = 0;
  double real_gflops = 0;
  double est_gflops = 0;
  double difference_percent = 0;
};
std::vector<HuRow> hu_table_2();

/// The efficiencies that the paper does not give for Table 2.
struct HuEfficiencies {
  double device = 1;
  double host = 1;
  double network = 1;
};

/// The machine with these in hpl.simulation, which it must have.
Machine with_efficiencies(Machine machine, const HuEfficiencies& efficiencies);

/// Seconds of a row in the paper's form.
double hu_seconds(const Machine& machine, const HuRow& row);

/// Gflop/s of a row in the paper's form, flops as HPL counts them.
double hu_gflops(const Machine& machine, const HuRow& row);

/// The efficiencies from 0 to 1 with the least sum of squared relative errors over the rows'
/// estimated rates: a pattern search from 0.8 each with steps from 0.1 down to 1e-5, the same on
/// every machine.
HuEfficiencies fit_efficiencies(const Machine& machine, const std::vector<HuRow>& rows);

/// What Section 5.1 says of Figures 5 to 7 and Table 2 of NB, by the paper's form; `inputs` is
/// "trends" of the published document. The machine has hpl.simulation.
std::vector<ReproducedTrend> hu_trends(const Machine& machine, const nlohmann::json& inputs);

}  // namespace bellwether
