// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "results/reproduce/hu2021.hpp"
#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

constexpr double rate_tolerance = 0.02;  // the paper is 3 to 5 % from what it measured
constexpr double exact = 1e-6;

/// Rows of Table 2 that are fitted, counted from 0: both single nodes and both NB of 2 x 2 GPUs.
/// The two rows of 2 x 4 GPUs are of a configuration that the fit does not see.
constexpr std::array<std::size_t, 4> fitted_rows{0, 2, 4, 5};

bool is_fitted(std::size_t row) {
  return std::find(fitted_rows.begin(), fitted_rows.end(), row) != fitted_rows.end();
}

/// Whether a row's printed time is the one that its printed rate implies, to a percent.
bool time_fits_rate(const HuRow& row) {
  const double seconds = hpl_flops(static_cast<double>(row.size)) / row.est_gflops / 1e9;
  return std::abs(row.est_s / seconds - 1) < 0.01;
}

std::string name(const HuRow& row, std::size_t number, const char* column) {
  return fmt::format("Table 2 row {}, {}x{} GPUs, N {}, NB {}, {}", number + 1, row.nodes,
                     row.gpus_per_node, row.size, row.block, column);
}

/// A row in the refined form, with look-ahead, on the grid that it finds fastest unless one is
/// given.
struct Refined {
  double gflops;
  std::string grid;
};
Refined refined_form(const Machine& machine, const HuRow& row,
                     const std::optional<ProcessGrid>& grid = {}) {
  HplStudy study;
  study.grid = grid;
  study.size = row.size;
  study.blocks = {row.block};
  study.request.ranks_per_node = row.gpus_per_node;
  const HplProblem problem = fastest_refined(machine, study, row.nodes * row.gpus_per_node, true);
  const double seconds = predict_hpl_refined(machine, problem, row.gpus_per_node, true).total_s;
  return {hpl_flops(static_cast<double>(row.size)) / seconds / 1e9, problem.grid.name()};
}

void add_table_2(const Machine& machine, const std::vector<HuRow>& rows,
                 std::vector<ReproducedNumber>& numbers) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    numbers.push_back(
        {is_fitted(i) ? Evidence::fitted : Evidence::model_value, name(rows[i], i, "Est per."),
         rows[i].est_gflops, hu_gflops(machine, rows[i]), "Gflop/s", rate_tolerance,
         is_fitted(i) ? "one of four rows that three efficiencies were fitted to" : "held out"});
  for (std::size_t i = 0; i < rows.size(); ++i)
    numbers.push_back({Evidence::measurement, name(rows[i], i, "Real per."), rows[i].real_gflops,
                       hu_gflops(machine, rows[i]), "Gflop/s", measured_tolerance,
                       "the model is fitted to the paper's estimates"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Refined refined = refined_form(machine, rows[i]);
    numbers.push_back({Evidence::measurement, name(rows[i], i, "Real per., refined form"),
                       rows[i].real_gflops, refined.gflops, "Gflop/s", measured_tolerance,
                       refined.grid + ", the fastest grid: the paper has none"});
  }
}

std::string distance_statement(const Machine& machine, const std::vector<HuRow>& rows) {
  double paper = 0, refined = 0, square = 0;
  for (const HuRow& row : rows) {
    const auto weight = 100 / static_cast<double>(rows.size());
    paper += weight * std::abs(hu_gflops(machine, row) / row.real_gflops - 1);
    refined += weight * std::abs(refined_form(machine, row).gflops / row.real_gflops - 1);
    const ProcessGrid grid = nearest_square(row.nodes * row.gpus_per_node);
    square += weight * std::abs(refined_form(machine, row, grid).gflops / row.real_gflops - 1);
  }
  return fmt::format(
      "mean distance from the measured rates of Table 2: paper form {:.1f} %, refined form {:.1f} "
      "%, which has no host in the update and hides its broadcasts behind it; the paper's are not "
      "hidden, at the fitted network efficiency of {:.2f}. On the grids nearest to a square, which "
      "swap rows between nodes, the refined form is {:.1f} % off",
      paper, refined, section<HplParameters>(machine)->simulation->network_efficiency.value,
      square);
}

void add_split(const nlohmann::json& paper, std::vector<ReproducedNumber>& numbers) {
  const nlohmann::json& split = paper.at("split");
  const double ratio = split.at("host_over_device");
  numbers.push_back({Evidence::restatement,
                     "Section 4.1, GPU's share where the CPU has an eighth of its speed",
                     split.at("device_share_numerator").get<double>() /
                         split.at("device_share_denominator").get<double>(),
                     device_share(1, {.host_flops_per_s = ratio, .device_flops_per_s = 1}, {}), "",
                     exact, "of the derivation, not of the machine"});
}

std::vector<std::string> statements(const Machine& machine, const HuEfficiencies& fit,
                                    const std::vector<HuRow>& rows) {
  std::vector<std::string> all;
  double worst = 0, least_gb = 1e9, most_gb = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double gb = 8e-9 * static_cast<double>(rows[i].size) * static_cast<double>(rows[i].size) /
                      rows[i].nodes / rows[i].gpus_per_node;
    least_gb = std::min(least_gb, gb);
    most_gb = std::max(most_gb, gb);
    if (!is_fitted(i))
      worst = std::max(worst, std::abs(hu_gflops(machine, rows[i]) / rows[i].est_gflops - 1));
  }
  const HplSimulationParameters& file = *section<HplParameters>(machine)->simulation;
  all.push_back(fmt::format(
      "three efficiencies that the paper does not give for Table 2 are fitted, least squares of "
      "the relative error over the estimated rates of rows 1, 3, 5 and 6: GPU {:.4f}, CPU {:.4f}, "
      "network {:.4f}; the machine file has {:.4f}, {:.4f}, {:.4f}, with which all is computed. "
      "Rows 2, 4, 7 and 8 are held out; 7 and 8 are of a configuration that the fit does not see. "
      "Largest error of the rows held out: {:.2f} %",
      fit.device, fit.host, fit.network, file.device_efficiency.value, file.host_efficiency.value,
      file.network_efficiency.value, 100 * worst));
  Machine in_host = with_efficiencies(machine, {1, 1, 1});
  section<HplParameters>(in_host)->simulation->matrix_memory = "host";
  section<HplParameters>(in_host)->simulation->blas_efficiency = Quantity::exact(1);
  all.push_back(fmt::format(
      "the matrix stays in GPU memory, as Section 5.1 says of the optimized HPL (8 N^2 is {:.1f} "
      "to "
      "{:.1f} GB of each 32 GB GPU). Section 4 as written, which sends A22 over PCIe for each "
      "panel, gives row 1 {:.0f} Gflop/s with every efficiency at 1",
      least_gb, most_gb, hu_gflops(in_host, rows.front())));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double difference = 100 * (rows[i].est_gflops / rows[i].real_gflops - 1);
    if (!time_fits_rate(rows[i]))
      all.push_back(
          fmt::format("erratum: the time of row {}, {:.2f} s, does not fit its own rate, which "
                      "implies {:.2f} s "
                      "and is the reference",
                      i + 1, rows[i].est_s,
                      hpl_flops(static_cast<double>(rows[i].size)) / rows[i].est_gflops / 1e9));
    if (std::abs(difference - rows[i].difference_percent) > 0.02)
      all.push_back(fmt::format(
          "erratum: the difference of row {}, {:.2f} %, does not fit its own rates: {:.2f} %",
          i + 1, rows[i].difference_percent, difference));
  }
  return all;
}

}  // namespace

Reproduction reproduce_hu2021(const PaperMachines& machines) {
  const nlohmann::json& paper = published("hu2021");
  const std::vector<HuRow> rows = hu_table_2();
  std::vector<HuRow> chosen;
  for (const std::size_t row : fitted_rows) chosen.push_back(rows.at(row));
  const Machine& machine = machines.at("mi50-cluster");
  need(machine, hpl_simulation(machine) != nullptr, "hpl.simulation");
  const HuEfficiencies fit = fit_efficiencies(machine, chosen);
  Reproduction result = reproduction_of(paper);
  for (std::string& statement : statements(machine, fit, rows))
    result.statements.push_back(std::move(statement));
  result.statements.push_back(distance_statement(machine, rows));
  add_table_2(machine, rows, result.numbers);
  add_split(paper, result.numbers);
  for (const nlohmann::json& one : paper.at("not_computable"))
    result.numbers.push_back({Evidence::measurement, one.at("item"), one.at("published"),
                              std::nullopt, one.at("unit"), std::nullopt, one.at("reason")});
  note_known_misses(paper, result.numbers);
  result.trends = hu_trends(machine, paper.at("trends"));
  return result;
}

std::vector<HuRow> hu_table_2() {
  std::vector<HuRow> rows;
  for (const nlohmann::json& row : published("hu2021").at("table_2").at("rows"))
    rows.push_back({row.at("nodes"), row.at("gpus_per_node"), row.at("size"), row.at("block"),
                    row.at("est_s"), row.at("real_gflops"), row.at("est_gflops"),
                    row.at("difference_percent")});
  return rows;
}

Machine with_efficiencies(Machine machine, const HuEfficiencies& efficiencies) {
  HplSimulationParameters& simulation = section<HplParameters>(machine)->simulation.value();
  simulation.device_efficiency = Quantity::exact(efficiencies.device);
  simulation.host_efficiency = Quantity::exact(efficiencies.host);
  simulation.network_efficiency = Quantity::exact(efficiencies.network);
  return machine;
}

double hu_seconds(const Machine& machine, const HuRow& row) {
  std::vector<std::string> notes;
  const HplCluster cluster =
      hpl_cluster(machine, row.nodes * row.gpus_per_node, row.gpus_per_node, Bound::value, notes);
  return simulate_hpl(cluster, {static_cast<double>(row.size), static_cast<double>(row.block)})
      .total_s();
}

double hu_gflops(const Machine& machine, const HuRow& row) {
  return hpl_flops(static_cast<double>(row.size)) / hu_seconds(machine, row) / 1e9;
}

HuEfficiencies fit_efficiencies(const Machine& machine, const std::vector<HuRow>& rows) {
  constexpr double least_efficiency = 0.01;
  const auto misfit = [&](const std::array<double, 3>& at) {
    double sum = 0;
    for (const double efficiency : at)
      if (efficiency < least_efficiency || efficiency > 1)
        return std::numeric_limits<double>::infinity();
    const Machine changed = with_efficiencies(machine, {at[0], at[1], at[2]});
    for (const HuRow& row : rows) {
      const double error = hu_gflops(changed, row) / row.est_gflops - 1;
      sum += error * error;
    }
    return sum;
  };
  std::array<double, 3> best{0.8, 0.8, 0.8};
  double least = misfit(best);
  for (double step = 0.1; step > 1e-5;) {
    const double before = least;
    for (std::size_t factor = 0; factor < best.size(); ++factor) {
      for (const double way : {step, -step}) {
        std::array<double, 3> tried = best;
        tried[factor] += way;
        if (const double sum = misfit(tried); sum < least) {
          least = sum;
          best = tried;
        }
      }
    }
    if (least == before) step /= 2;
  }
  return {best[0], best[1], best[2]};
}

}  // namespace bellwether
