// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_iteration.hpp"

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {
namespace {

std::vector<LoopData> declared_data() {
  std::vector<LoopData> data;
  for (const char* name : {"q", "q_second", "adt", "adt_second", "res", "x"}) {
    const int set = data.size() == airfoil_positions ? airfoil_nodes : airfoil_cells;
    data.push_back({name, set});
  }
  return data;
}

/// What the loop does with which data. Constant data of the element itself (an edge's side, a
/// boundary edge's flag) needs no halo that changes and is left out.
ParallelLoop declared(const AirfoilCall& call) {
  constexpr int direct = LoopArgument::direct;
  const LoopArgument positions{airfoil_positions, cell_nodes_map, Access::read};
  const auto own = [](AirfoilData data, Access access) {
    return LoopArgument{data, direct, access};
  };
  // Of the cells beside it; its own needs no halo.
  const auto gathered = [](AirfoilData data) {
    return LoopArgument{data, neighbours_map, Access::read};
  };
  const auto fluxes = [&](int map) {
    return std::vector<LoopArgument>{{call.in, map, Access::read},
                                     {airfoil_adt, map, Access::read},
                                     {airfoil_res, map, Access::increment}};
  };
  switch (call.kernel) {
    case AirfoilKernel::save_soln:
      return {
          "save_soln", airfoil_cells, {own(call.in, Access::read), own(call.out, Access::write)}};
    case AirfoilKernel::adt_calc:
      return {"adt_calc",
              airfoil_cells,
              {positions, own(call.in, Access::read), own(airfoil_adt, Access::write)}};
    case AirfoilKernel::res_calc:
      return {"res_calc", airfoil_edge_set, fluxes(edge_cells_map)};
    case AirfoilKernel::bres_calc:
      return {"bres_calc", airfoil_bedges, fluxes(bedge_cell_map)};
    case AirfoilKernel::update:
      return {"update",
              airfoil_cells,
              {own(call.old, Access::read), own(airfoil_adt, Access::read),
               own(call.out, Access::write), own(airfoil_res, Access::read_write)}};
    case AirfoilKernel::update_adt:
      return {"update_adt",
              airfoil_cells,
              {positions, own(call.old, Access::read), own(airfoil_adt, Access::read_write),
               own(call.out, Access::write), own(airfoil_res, Access::read_write)}};
    case AirfoilKernel::gather_res:
      return {"gather_res",
              airfoil_cells,
              {positions, gathered(call.in), gathered(gathered_adt(call.in)),
               own(airfoil_res, Access::write)}};
    case AirfoilKernel::stage:
      return {"stage",
              airfoil_cells,
              {positions, gathered(call.in), gathered(gathered_adt(call.in)),
               own(call.old, Access::read), own(call.out, Access::write),
               own(gathered_adt(call.out), Access::write)}};
  }
  return {};
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
  LoopHalos halos(mesh, declared_data());
  std::vector<AirfoilCall> all = calls(sequence);
  for (AirfoilCall& call : all) call.loop = declared(call);
  for (int iteration = 0; iteration < 2; ++iteration)
    for (AirfoilCall& call : all) call.plan = halos.call(call.loop);
  return all;
}

AirfoilCall lone_call(const LocalMesh& mesh, AirfoilKernel kernel, AirfoilData q) {
  AirfoilCall call{kernel, q, q, q};
  call.loop = declared(call);
  call.plan = LoopHalos(mesh, declared_data()).call(call.loop);
  return call;
}

}  // namespace bellwether
