// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_calls.hpp"

#include <stdexcept>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/device_checks.hpp"

namespace bellwether {
namespace {

LoopWorkers workers_of(const Device& device) {
  if (!device.is_host()) return LoopWorkers::gpu;
  return device.is_sequential() ? LoopWorkers::one_thread : LoopWorkers::threads;
}

/// A gather's cells, none of which waits for halos any more.
LoopPlan at_once(const LoopPlan& plan) { return {{}, plan.executed, plan.executed}; }

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

std::vector<ParallelLoop> loops_of(const std::vector<AirfoilCall>& calls) {
  std::vector<ParallelLoop> loops;
  for (const AirfoilCall& call : calls) loops.push_back(call.loop);
  return loops;
}

}  // namespace

template <class T>
AirfoilCalls<T>::AirfoilCalls(const Session& session, Device& device, const AirfoilLocal& local,
                              const std::vector<AirfoilCall>& iteration, bool staged,
                              Increments increments)
    : session_(session),
      gathers_(increments == Increments::gather),
      first_adt_(lone_call(local.mesh, AirfoilKernel::adt_calc, airfoil_first_q)) {
  const LocalSet& cells = local.mesh.sets[airfoil_cells];
  const std::vector<ElementLayout> layouts = exchanged_layouts(iteration);
  require_device_memory(session, device,
                        AirfoilArrays<T>::bytes(local.mesh, gathers_) +
                            ElementHalo::bytes(cells, layouts, sizeof(T), staged),
                        "mesh, flow and halo buffers");
  kernels_ = make_kernels<AirfoilKernels<T>>(device);
  elements_ = std::make_unique<ElementHalo>(device, cells, layouts, sizeof(T));
  halo_ = std::make_unique<HaloStep>(session, device, elements_->messages(), staged,
                                     Announcements::sent);
  schedules_ = schedule_loops(local.mesh, loops_of(iteration), workers_of(device),
                              increments == Increments::colours);
  arrays_ = std::make_unique<AirfoilArrays<T>>(
      device, local, gathers_, schedules_[airfoil_edge_set].order(),
      schedules_[airfoil_bedges].order(), *kernels_, stream());
}

template <class T>
void AirfoilCalls<T>::start() {
  for (const AirfoilData q : {airfoil_first_q, airfoil_second_q})
    kernels_->set_free_stream(arrays_->all(), arrays_->of(q), stream());
  // What edges add to res of other ranks' cells is never read and never cleared in between: it
  // grows as the iterations do, far from what a float can hold.
  kernels_->clear(arrays_->all(), arrays_->of(airfoil_res), stream());
  PhaseClock clock(unwatched_);
  run(first_adt_, clock, false);
  halo_->finish(clock);
}

template <class T>
void AirfoilCalls<T>::run(const AirfoilCall& call, PhaseClock& clock, bool overlap) {
  const bool hides = call.plan.blocks() && overlap;
  const bool gathers = call.loop.set == airfoil_cells && call.plan.blocks();
  const auto [before, after] =
      schedules_[call.loop.set].parts(gathers && !hides ? at_once(call.plan) : call.plan);
  const HaloStep::Core core{static_cast<int>(before.size()), [&, &parts = before](int piece) {
                              execute(call, parts[piece], clock);
                            }};
  const auto rest = [&, &parts = after] {
    for (const LoopPart& part : parts) execute(call, part, clock);
  };
  if (hides) {
    halo_->overlapped(exchanged(call), stream(), clock, core, rest);
  } else {
    if (call.plan.blocks()) halo_->exchange(exchanged(call), clock);
    for (int piece = 0; piece < core.pieces; ++piece) core.compute(piece);
    rest();
  }
  if (call.kernel == AirfoilKernel::update) sum_up_change(clock);
}

template <class T>
void AirfoilCalls<T>::execute(const AirfoilCall& call, const LoopPart& part, PhaseClock& clock) {
  timed(part.redundant ? "compute.redundant" : phase_of(call.kernel), clock,
        [&] { launch(call, part.elements); });
}

template <class T>
void AirfoilCalls<T>::launch(const AirfoilCall& call, const EdgeRange& elements) {
  const AirfoilArrays<T>& a = *arrays_;
  const ElementRange cells{elements.begin, elements.end};
  T* const adt = adt_of(call.in);
  T* const res = a.of(airfoil_res);
  switch (call.kernel) {
    case AirfoilKernel::save_soln:
      return kernels_->save_soln(cells, a.of(call.in), a.of(call.out), stream());
    case AirfoilKernel::adt_calc:
      return kernels_->adt_calc(cells, a.cells(), a.of(call.in), adt, stream());
    case AirfoilKernel::res_calc:
      return kernels_->res_calc(elements, a.edges(), a.of(call.in), adt, res, stream());
    case AirfoilKernel::bres_calc:
      return kernels_->bres_calc(elements, a.boundary(), a.of(call.in), adt, res, stream());
    case AirfoilKernel::update:
      return kernels_->update(cells, a.of(call.old), adt, a.of(call.out), res, a.change(),
                              stream());
    case AirfoilKernel::update_adt:
      return kernels_->update_adt(cells, a.cells(), a.of(call.old), adt, a.of(call.out), res,
                                  nullptr, stream());
    case AirfoilKernel::gather_res:
      return kernels_->gather_res(cells, a.round(), a.of(call.in), adt, res, stream());
    case AirfoilKernel::stage:
      return kernels_->stage(cells, a.round(), a.of(call.old), a.of(call.in), adt, a.of(call.out),
                             adt_of(call.out), stream());
  }
}

/// As OP2's: the change is summed up in the loop, and over the ranks after it.
template <class T>
void AirfoilCalls<T>::sum_up_change(PhaseClock& clock) {
  const AirfoilArrays<T>& a = *arrays_;
  timed(phase_of(AirfoilKernel::update), clock,
        [&] { change_ = kernels_->sum(a.own(), a.change(), stream()); });
  if (session_.size() == 1) return;
  clock.time("reduce", [&] {
    MPI_Allreduce(MPI_IN_PLACE, &change_, 1, MPI_DOUBLE, MPI_SUM, session_.world());
  });
}

template <class T>
HaloPacking AirfoilCalls<T>::exchanged(const AirfoilCall& call) const {
  std::vector<void*> arrays;
  for (const int data : call.plan.exchanges)
    arrays.push_back(arrays_->of(static_cast<AirfoilData>(data)));
  return elements_->packing(arrays);
}

template class AirfoilCalls<float>;
template class AirfoilCalls<double>;

}  // namespace bellwether
