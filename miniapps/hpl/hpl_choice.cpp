// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "kernels/dense/host_blas.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/hpl/split_update.hpp"
#include "models/errors.hpp"
#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_parameters.hpp"

namespace bellwether {
namespace {

long processes(const ProcessGrid& grid) { return grid.rows * static_cast<long>(grid.columns); }

/// What a rank may take of the memory that the matrix lies in, the least of all ranks.
double least_memory(const CaseSite& site, const HplVariant& variant) {
  const auto host = host_of_split(variant);
  const Device& device = host != nullptr ? *host : site.device;
  return least(site.session.world(), static_cast<double>(memory_of_a_rank(site.session, device)));
}

int block_by_default(long size) {
  return static_cast<int>(std::min<long>(block_without_machine, size));
}

bool lies_on_host(const CaseSite& site, const HplVariant& variant) {
  return variant.is_split() || site.device.is_host();
}

}  // namespace

nlohmann::json to_json(const HplAsked& asked) {
  nlohmann::json object = {{"size", "auto"}, {"block", "auto"}, {"grid", "auto"}};
  if (asked.size) object["size"] = *asked.size;
  if (asked.block) object["block"] = *asked.block;
  if (asked.grid) object["grid"] = {asked.grid->rows, asked.grid->columns};
  if (asked.grid && asked.grid->column_major) object["pmap"] = "column-major";
  return object;
}

HplProblem chosen_problem(const HplAsked& asked, const Machine* machine, int ranks,
                          int ranks_per_node, double rank_bytes, bool on_host) {
  const int used = asked.grid ? static_cast<int>(processes(*asked.grid)) : ranks;
  HplProblem problem;
  problem.bcast = asked.variant.bcast;
  problem.swap = asked.variant.swap;
  problem.swap_threshold = asked.variant.swap_threshold;
  problem.size = asked.size ? *asked.size : size_that_fills(rank_bytes, used);
  if (asked.block && asked.grid) {
    problem.block = *asked.block;
    problem.grid = *asked.grid;
  } else if (machine != nullptr) {
    HplStudy study;
    study.size = problem.size;
    study.blocks = asked.block ? std::vector<int>{*asked.block} : usual_blocks();
    study.grid = asked.grid;
    study.how = problem;
    study.how.panel = asked.variant.panel_on_device() ? "device" : asked.variant.panel;
    study.request.ranks_per_node = ranks_per_node;
    problem = fastest_refined(*machine, study, used, asked.variant.look_ahead);
  } else {
    problem.block = asked.block ? *asked.block : block_by_default(problem.size);
    problem.grid = asked.grid ? *asked.grid : nearest_square(used);
  }
  const std::string panel = panel_chosen(asked.variant.panel, on_host, problem.grid.rows);
  const bool is_predicted = machine != nullptr && panel == "device" && hpl_device_panel(*machine);
  if (!asked.block && panel != "host" && !is_predicted)
    problem.block = static_cast<int>(std::min<long>(block_of_device_panels, problem.size));
  if (!asked.size) problem.size = whole_blocks(problem.size, problem.block);
  return problem;
}

HplProblem chosen_problem(const HplAsked& asked, const CaseSite& site) {
  const int ranks = site.session.size();
  if (asked.grid && processes(*asked.grid) > ranks)
    throw BadInput(
        fmt::format("{}: found {}, which is {} processes, expected at most {}, the "
                    "ranks that there are",
                    asked.grid_from, asked.grid->name(), processes(*asked.grid), ranks));
  const double rank_bytes = asked.size ? 0 : least_memory(site, asked.variant);
  const int ranks_per_node = site.session.most_ranks_on_a_node();
  HplProblem problem;
  agree_on_errors(site.session.world(), [&] {
    if (site.session.rank() == 0)
      problem = chosen_problem(asked, site.machine, ranks, ranks_per_node, rank_bytes,
                               lies_on_host(site, asked.variant));
  });
  problem.bcast = asked.variant.bcast;
  problem.swap = asked.variant.swap;
  problem.swap_threshold = asked.variant.swap_threshold;
  std::array<long, 4> chosen{problem.size, problem.block, problem.grid.rows, problem.grid.columns};
  chosen = from_first_rank(site.session.world(), chosen);
  const auto number = [&](std::size_t i) { return static_cast<int>(chosen[i]); };
  problem.size = chosen[0];
  problem.block = number(1);
  problem.grid = {number(2), number(3), asked.grid && asked.grid->column_major};
  return problem;
}

std::vector<std::string> remarks_of(const std::vector<HplAsked>& asked, const CaseSite& site) {
  const int ranks = site.session.size();
  std::vector<std::string> remarks;
  const auto say = [&](std::string remark) {
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end())
      remarks.push_back(std::move(remark));
  };
  for (const HplAsked& one : asked) {
    if (one.grid && processes(*one.grid) < ranks)
      say(fmt::format("{}: {} leaves {} of {} ranks without a part", one.grid_from,
                      one.grid->name(), ranks - processes(*one.grid), ranks));
    const bool one_row = (one.grid ? *one.grid : nearest_square(ranks)).rows == 1;
    const bool on_device = !lies_on_host(site, one.variant) &&
                           (one_row ? one.variant.panel != "host" : one.variant.panel == "device");
    if (!one.block && site.machine == nullptr && !on_device)
      say(
          fmt::format("--block auto: {}, as no machine file says which is fastest (bellwether "
                      "calibrate)",
                      block_by_default(one.size.value_or(largest_hpl_size))));
    if (lies_on_host(site, one.variant) && !blas_remark().empty()) say(blas_remark());
  }
  return remarks;
}

}  // namespace bellwether
