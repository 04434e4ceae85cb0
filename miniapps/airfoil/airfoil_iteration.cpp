// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_iteration.hpp"

namespace bellwether {
namespace {

/// A call that finds all halos up to date. What edges add, others' edges add to own cells too.
LoopPlan plan_alone(const LocalMesh& mesh, AirfoilKernel kernel) {
  const LocalSet& set = mesh.sets[set_of(kernel)];
  const int executed = set_of(kernel) == airfoil_cells ? set.owned() : set.executed();
  return {{}, executed, executed};
}

std::vector<AirfoilCall> calls(AirfoilSequence sequence) {
  constexpr AirfoilData q = airfoil_first_q, second = airfoil_second_q;
  if (sequence == AirfoilSequence::gather)
    return {{AirfoilKernel::stage, q, q, second}, {AirfoilKernel::stage, second, q, q}};
  const bool fused = sequence != AirfoilSequence::five;
  std::vector<AirfoilCall> all;
  if (!fused) all.push_back({AirfoilKernel::save_soln, q, q, second});
  for (const int stage : {1, 2}) {
    const AirfoilData in = fused && stage == 2 ? second : q;
    if (!fused) all.push_back({AirfoilKernel::adt_calc, in, in, in});
    all.push_back({AirfoilKernel::res_calc, in, in, in});
    all.push_back({AirfoilKernel::bres_calc, in, in, in});
    if (fused)
      all.push_back({AirfoilKernel::update_adt, in, q, stage == 1 ? second : q});
    else
      all.push_back({AirfoilKernel::update, in, second, q});
  }
  return all;
}

}  // namespace

std::vector<AirfoilCall> airfoil_iteration(const LocalMesh& mesh, AirfoilSequence sequence) {
  std::vector<AirfoilCall> all = calls(sequence);
  for (AirfoilCall& call : all) {
    call.plan = plan_alone(mesh, call.kernel);
    if (call.kernel == AirfoilKernel::res_calc)
      call.plan.exchanges = {call.in, airfoil_adt};
    else if (call.kernel == AirfoilKernel::stage)
      call.plan.exchanges = {call.in, gathered_adt(call.in)};
    if (call.plan.blocks()) call.plan.before_halos = mesh.sets[set_of(call.kernel)].core;
  }
  return all;
}

AirfoilCall lone_call(const LocalMesh& mesh, AirfoilKernel kernel, AirfoilData q) {
  return {kernel, q, q, q, plan_alone(mesh, kernel)};
}

}  // namespace bellwether
