// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_calls.hpp"

#include <stdexcept>

#include "kernels/launch/dispatch.hpp"
#include "miniapps/device_memory.hpp"

namespace bellwether {
namespace {

EdgeWorkers workers_of(const Device& device) {
  if (!device.is_host()) return EdgeWorkers::gpu;
  return device.description() == "kokkos/Serial" ? EdgeWorkers::one_thread : EdgeWorkers::threads;
}

/// Of the arrays that travel together, the same for every call that exchanges any.
std::vector<ElementLayout> exchanged_layouts(const std::vector<AirfoilCall>& iteration) {
  std::vector<int> values;
  for (const AirfoilCall& call : iteration) {
    std::vector<int> of_call;
    for (const int data : call.plan.exchanges) of_call.push_back(airfoil_values[data]);
    if (!values.empty() && !of_call.empty() && of_call != values)
      throw std::logic_error("calls that exchange arrays of different shapes");
    if (!of_call.empty()) values = of_call;
  }
  std::vector<ElementLayout> layouts;
  for (const int count : values) layouts.push_back(ElementLayout::of_records(count));
  return layouts;
}

}  // namespace

template <class T>
AirfoilCalls<T>::AirfoilCalls(const Session& session, Device& device, const AirfoilLocal& local,
                              const std::vector<AirfoilCall>& iteration, bool staged)
    : session_(session) {
  const LocalSet& cells = local.mesh.sets[airfoil_cells];
  const std::vector<ElementLayout> layouts = exchanged_layouts(iteration);
  require_device_memory(session, device,
                        AirfoilArrays<T>::bytes(local.mesh) +
                            ElementHalo::buffer_bytes(cells, layouts, sizeof(T), staged),
                        "mesh, flow and halo buffers");
  kernels_ = make_kernels<AirfoilKernels<T>>(device);
  halo_ = std::make_unique<HaloStep>(session, device, cells, layouts, sizeof(T), staged);
  edges_ = schedule_edges(local.mesh, local.mesh.maps[edge_cells_map], workers_of(device));
  bedges_ = schedule_edges(local.mesh, local.mesh.maps[bedge_cell_map], workers_of(device));
  arrays_ = std::make_unique<AirfoilArrays<T>>(device, local, edges_, bedges_, *kernels_, stream());
}

template <class T>
void AirfoilCalls<T>::run(const AirfoilCall& call, PhaseClock& clock, bool overlap) {
  if (call.kernel == AirfoilKernel::res_calc || call.kernel == AirfoilKernel::bres_calc)
    return over_edges(call, clock, overlap);
  if (call.plan.blocks()) halo_->exchange(exchanged(call), clock);
  over_cells(call, clock);
}

template <class T>
void AirfoilCalls<T>::over_edges(const AirfoilCall& call, PhaseClock& clock, bool overlap) {
  const EdgeSchedule& schedule = call.kernel == AirfoilKernel::res_calc ? edges_ : bedges_;
  const char* const phase = phase_of(call.kernel);
  const HaloStep::Core core{static_cast<int>(schedule.pieces.size()),
                            [&](int piece) { edges(call, schedule.pieces[piece], phase, clock); }};
  const auto rest = [&] {
    edges(call, schedule.rest, phase, clock);
    edges(call, schedule.redundant, "compute.redundant", clock);
  };
  if (call.plan.blocks() && overlap) return halo_->overlapped(exchanged(call), clock, core, rest);
  if (call.plan.blocks()) halo_->exchange(exchanged(call), clock);
  for (int piece = 0; piece < core.pieces; ++piece) core.compute(piece);
  rest();
}

template <class T>
void AirfoilCalls<T>::edges(const AirfoilCall& call, const EdgeRange& range, const char* phase,
                            PhaseClock& clock) {
  if (range.count() == 0) return;
  const AirfoilArrays<T>& a = *arrays_;
  timed(phase, clock, [&] {
    if (call.kernel == AirfoilKernel::res_calc)
      kernels_->res_calc(range, a.edges(), a.of(call.in), a.of(airfoil_adt), a.of(airfoil_res),
                         stream());
    else
      kernels_->bres_calc(range, a.boundary(), a.of(call.in), a.of(airfoil_adt), a.of(airfoil_res),
                          stream());
  });
}

template <class T>
void AirfoilCalls<T>::over_cells(const AirfoilCall& call, PhaseClock& clock) {
  const AirfoilArrays<T>& a = *arrays_;
  if (call.kernel == AirfoilKernel::update) return update(call, clock);
  timed(phase_of(call.kernel), clock, [&] {
    if (call.kernel == AirfoilKernel::save_soln)
      kernels_->save_soln(a.own(), a.of(call.in), a.of(call.out), stream());
    else if (call.kernel == AirfoilKernel::adt_calc)
      kernels_->adt_calc(a.own(), a.cells(), a.of(call.in), a.of(airfoil_adt), stream());
    else
      kernels_->update_adt(a.own(), a.cells(), a.of(call.old), a.of(airfoil_adt), a.of(call.out),
                           a.of(airfoil_res), nullptr, stream());
  });
}

/// As OP2's: the change is summed up in the loop, and over the ranks after it.
template <class T>
void AirfoilCalls<T>::update(const AirfoilCall& call, PhaseClock& clock) {
  const AirfoilArrays<T>& a = *arrays_;
  timed(phase_of(call.kernel), clock, [&] {
    kernels_->update(a.own(), a.of(call.old), a.of(airfoil_adt), a.of(call.out), a.of(airfoil_res),
                     a.change(), stream());
    change_ = kernels_->sum(a.own(), a.change(), stream());
  });
  if (session_.size() == 1) return;
  clock.time("reduce", [&] {
    MPI_Allreduce(MPI_IN_PLACE, &change_, 1, MPI_DOUBLE, MPI_SUM, session_.world());
  });
}

template <class T>
HaloStep::Arrays AirfoilCalls<T>::exchanged(const AirfoilCall& call) const {
  HaloStep::Arrays arrays;
  for (const int data : call.plan.exchanges)
    arrays.push_back(arrays_->of(static_cast<AirfoilData>(data)));
  return arrays;
}

template class AirfoilCalls<float>;
template class AirfoilCalls<double>;

}  // namespace bellwether
