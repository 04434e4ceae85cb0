// SPDX-License-Identifier: MIT
#include "microbench/driver/registry.hpp"

#include <stdexcept>
#include <utility>

namespace bellwether {

void Plan::group(const std::string& title, double share, int times_most_rounds) {
  const CalibrationLimits& limits = bench_.limits();
  groups_.push_back(
      {title, share, limits.fewest_rounds, times_most_rounds * limits.most_rounds, {}});
}

void Plan::name_once(BenchCase& work) {
  if (!names_.insert(work.name).second) throw std::logic_error("two benchmarks named " + work.name);
  work.key = {static_cast<int>(names_.size()), 0};
}

SampleKey Plan::add(BenchCase work) {
  name_once(work);
  groups_.back().cases.push_back(std::move(work));
  return groups_.back().cases.back().key;
}

void Plan::add_beside(BenchCase work) {
  name_once(work);
  beside_.push_back(std::move(work));
}

void Plan::probe_drift(SampleKey key, const std::string& of) {
  for (const Group& group : groups_)
    for (const BenchCase& work : group.cases) {
      if (work.key != key) continue;
      drift_.cases.push_back(work);
      drift_.cases.back().samples_per_round = 1;
      drift_of_.push_back(of);
    }
}

// Each folder defines its own.
using MakeFolder = Folder();
MakeFolder links_folder, compute_folder, memory_folder, cholesky_folder, airfoil_folder, hpl_folder,
    amg_folder, diffusion_folder, lbm_folder, noise_folder, sustained_folder;

const std::vector<Folder>& folders() {
  // HPL's panels and AMG's matrices lie beside the arena, of which memory's cases take what is
  // left. What heats the device comes last.
  static const std::vector<Folder> all{links_folder(),    compute_folder(),  noise_folder(),
                                       hpl_folder(),      amg_folder(),      memory_folder(),
                                       cholesky_folder(), airfoil_folder(),  diffusion_folder(),
                                       lbm_folder(),      sustained_folder()};
  return all;
}

Plan plan_on(Bench& bench) {
  Plan plan(bench);
  for (const Folder& folder : folders())
    if (folder.plan && (bench.limits().miniapps || !folder.is_of_a_miniapp)) folder.plan(plan);
  return plan;
}

}  // namespace bellwether
