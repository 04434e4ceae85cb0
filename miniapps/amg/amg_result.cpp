// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_result.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/comm/reduce.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

/// Of all levels: entries of A and of P, and unknowns.
struct Sums {
  double of_a = 0, of_p = 0, unknowns = 0;
};

Sums sums_of(const AmgHierarchy& hierarchy) {
  Sums sums;
  for (const AmgLevel& level : hierarchy.levels) {
    sums.of_a += level.solve.total_nonzeros;
    sums.of_p += level.interpolation.total_nonzeros;
    sums.unknowns += level.unknowns;
  }
  return sums;
}

void write(nlohmann::json& level, std::size_t operation, double compute, double network) {
  if (compute + network > 0)
    level[cycle_operation_names[operation]] = {{"compute", compute}, {"network", network}};
}

}  // namespace

void LevelSamples::add(const AmgLevelSeconds& cycle) {
  sums_.resize(cycle.size() * cycle_operation_names.size() * 2);
  auto sum = sums_.begin();
  for (const auto& level : cycle)
    for (const AmgSeconds& one : level) {
      *sum++ += one.compute;
      *sum++ += one.network;
    }
  ++cycles_;
}

void LevelSamples::finish_sample() {
  if (cycles_ == 0) return;
  for (double& sum : sums_) sum /= static_cast<double>(cycles_);
  samples_.push_back(std::move(sums_));
  sums_.clear();
  cycles_ = 0;
}

std::vector<double> LevelSamples::medians() const {
  std::vector<double> all;
  for (std::size_t i = 0; !samples_.empty() && i < samples_.front().size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& sample : samples_) values.push_back(sample[i]);
    all.push_back(median_in(values));
  }
  return all;
}

nlohmann::json LevelSamples::levels(MPI_Comm comm) const {
  std::vector<double> mine = medians();
  double total = 0;
  for (const double one : mine) total += one;
  const std::vector<double> slowest = slowest_rank(comm, total, mine).values;
  nlohmann::json levels = nlohmann::json::array();
  for (auto at = slowest.begin(); at != slowest.end();) {
    nlohmann::json& level = levels.emplace_back();
    for (std::size_t n = 0; n < cycle_operation_names.size(); ++n) {
      const double compute = *at++, network = *at++;
      write(level, n, compute, network);
    }
  }
  return levels;
}

nlohmann::json predicted_levels(const std::vector<AmgRunLevel>& predicted) {
  nlohmann::json levels = nlohmann::json::array();
  for (const AmgRunLevel& level : predicted) {
    const AmgWork* const works[] = {&level.relax, &level.residual, &level.restriction,
                                    &level.interpolation, &level.coarse_solve};
    nlohmann::json& written = levels.emplace_back();
    for (std::size_t n = 0; n < std::size(works); ++n)
      write(written, n, works[n]->compute_s, works[n]->network_s);
  }
  return levels;
}

nlohmann::json hierarchy_result(const AmgHierarchy& hierarchy) {
  const Sums all = sums_of(hierarchy);
  const AmgLevel& finest = hierarchy.levels.front();
  return {{"nonzeros", finest.solve.total_nonzeros},
          {"operator_complexity", all.of_a / finest.solve.total_nonzeros},
          {"grid_complexity", all.unknowns / finest.unknowns},
          {"hierarchy", to_json({hierarchy}).at("hierarchies").front()}};
}

Verification beside_hypres_solve(const AmgDifference& difference, bool on_gpu) {
  constexpr double tolerance = 1e-12;
  if (on_gpu && difference.values > 0)
    return judged("difference from hypre's own solve, which on this GPU is not the same to the bit",
                  difference.relative, tolerance);
  return judged("values that differ from those of hypre's own solve", difference.values, 0);
}

nlohmann::json solve_result(const AmgSolve& solve, const AmgHierarchy& hierarchy, double setup_s) {
  const std::size_t cycles = solve.residuals.size() - 1;
  nlohmann::json found = {
      {"cycles", cycles},
      {"residual", solve.residuals.back()},
      {"convergence_factor", std::pow(solve.residuals.back(), 1 / static_cast<double>(cycles))}};
  if (solve.error) found["error"] = *solve.error;
  const Sums all = sums_of(hierarchy);
  if (solve.failure.empty())
    found["figure_of_merit"] = {{"value", (all.of_a + all.of_p) / (setup_s + 3 * solve.seconds)},
                                {"setup_s", setup_s},
                                {"solve_s", solve.seconds},
                                {"nonzeros", all.of_a + all.of_p}};
  return found;
}

}  // namespace bellwether
