// SPDX-License-Identifier: MIT
#include "models/amg/amg_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::array relaxations = {AmgRelaxation{"hybrid-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-jacobi", 1, 1, true},
                                    AmgRelaxation{"chebyshev", 2, 2, true}};  // of second order

struct GroupTerms {
  const char *group, *compute, *network;
};
constexpr std::array groups = {GroupTerms{"finest", "compute.finest", "network.finest"},
                               GroupTerms{"next", "compute.next", "network.next"},
                               GroupTerms{"middle", "compute.middle", "network.middle"},
                               GroupTerms{"coarsest", "compute.coarsest", "network.coarsest"}};

const GroupTerms& terms_of(std::size_t level, std::size_t levels) {
  const std::string group = amg_group(level, levels);
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const GroupTerms& one) { return one.group == group; });
}

}  // namespace

const AmgRelaxation& amg_relaxation(const std::string& name) {
  std::string known;
  for (const AmgRelaxation& one : relaxations) {
    if (name == one.name) return one;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw BadInput(fmt::format("relaxation: found \"{}\", expected one of {}", name, known));
}

std::vector<AmgStepOperation> amg_operations(std::size_t levels, const AmgVariant& variant) {
  std::vector<AmgStepOperation> all;
  if (levels == 0) return all;
  const int exchanges = amg_relaxation(variant.relax).exchanges;
  const auto relax = [&](std::size_t level) {
    for (int sweep = 0; sweep < variant.sweeps; ++sweep)
      all.push_back({.stage = AmgStage::relax, .level = level, .exchanges = exchanges});
  };
  if (variant.solver == "pcg") all.push_back({AmgStage::krylov, 0});
  const std::size_t coarsest = levels - 1;
  for (std::size_t level = 0; level < coarsest; ++level) {
    relax(level);
    all.push_back({AmgStage::residual, level});
    all.push_back({AmgStage::restriction, level});
  }
  all.push_back({AmgStage::coarse_solve, coarsest});
  for (std::size_t level = coarsest; level-- > 0;) {
    all.push_back({AmgStage::interpolation, level});
    relax(level);
  }
  return all;
}

RankProgram AmgStep::program(const AmgHierarchy& hierarchy, bool overlap,
                             const std::function<bool(std::size_t level)>& has_rows) const {
  constexpr int inner_products = 3;
  RankProgram program;
  const bool alone = hierarchy.processes == 1;
  for (const AmgStepOperation& one : operations) {
    if (!has_rows(one.level)) continue;
    const GroupTerms& group = terms_of(one.level, hierarchy.levels.size());
    const bool krylov = one.stage == AmgStage::krylov;
    const char* const computes = krylov ? "compute.krylov" : group.compute;
    const double part_s = one.compute_s / one.exchanges, own_s = one.own_share * part_s;
    for (int part = 0; part < one.exchanges; ++part) {
      if (!alone)
        program.exchange({.times = one.messages,
                          .network = group.network,
                          .meanwhile = computes,
                          .meanwhile_s = overlap ? own_s : 0,
                          .hides_s = own_s,
                          .overlap = overlap,
                          .messages = amg_messages(one.stage, one.level)});
      program.compute(computes, part_s - (overlap && !alone ? own_s : 0));
    }
    program.compute(computes, one.fork_join_s);
    if (!krylov) continue;
    program.compute(computes, vectors_s);
    if (!alone) program.reduce(reduce_s, inner_products, sizeof(double));
  }
  return program;
}

}  // namespace bellwether
