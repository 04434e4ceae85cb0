// SPDX-License-Identifier: MIT
#include "microbench/driver/registry.hpp"

#include "microbench/airfoil/airfoil_from_samples.hpp"
#include "microbench/airfoil/airfoil_table.hpp"
#include "microbench/amg/amg_table.hpp"
#include "microbench/cholesky/cholesky_table.hpp"
#include "microbench/compute/compute_from_samples.hpp"
#include "microbench/diffusion/diffusion_cases.hpp"
#include "microbench/hpl/hpl_table.hpp"
#include "microbench/lbm/lbm_cases.hpp"
#include "microbench/links/links_from_samples.hpp"
#include "microbench/memory/memory_from_samples.hpp"

namespace bellwether {
namespace {

/// What a folder measures, and how the samples of that become parameters.
template <class Cases>
std::function<void(Plan&)> measured(Cases (*cases_of)(Plan&),
                                    void (*from_samples)(const Cases&, const SampleStore&,
                                                         Machine&)) {
  return [=](Plan& plan) {
    plan.fit([cases = cases_of(plan), from_samples](const SampleStore& store, Machine& machine) {
      from_samples(cases, store, machine);
    });
  };
}

}  // namespace

const std::vector<Folder>& folders() {
  static const std::vector<Folder> all{
      {measured(plan_links, links_from_samples)},
      {measured(plan_compute, compute_from_samples)},
      {measured(plan_memory, memory_from_samples)},
      {{}, cholesky_table, cholesky_line},
      {measured(plan_airfoil, airfoil_from_samples), airfoil_table, airfoil_line},
      {{}, hpl_table, hpl_line},
      {{}, amg_table, amg_line},
      {plan_diffusion},
      {plan_lbm},
  };
  return all;
}

Plan plan_on(Bench& bench) {
  Plan plan(bench);
  for (const Folder& folder : folders())
    if (folder.plan) folder.plan(plan);
  return plan;
}

}  // namespace bellwether
