// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_calls.hpp"

#include "kernels/launch/device.hpp"
#include "miniapps/comm/device_checks.hpp"

namespace bellwether {
namespace {

LoopWorkers workers_of(const Device& device) {
  if (!device.is_host()) return LoopWorkers::gpu;
  return device.is_sequential() ? LoopWorkers::one_thread : LoopWorkers::threads;
}

constexpr const char* stage_phase = phase_of(AirfoilKernel::stage);

/// A gather's cells, none of which waits for halos any more.
LoopPlan at_once(const LoopPlan& plan) { return {{}, plan.executed, plan.executed}; }

}  // namespace

template <class T>
AirfoilCalls<T>::AirfoilCalls(const Session& session, Device& device, const AirfoilLocal& local,
                              AirfoilSequence sequence, bool staged, Increments increments,
                              int tile)
    : session_(session),
      local_(local),
      sequence_(sequence),
      iteration_(airfoil_iteration(local.mesh, sequence)),
      tile_(tile),
      first_adt_(lone_call(local.mesh, AirfoilKernel::adt_calc, airfoil_first_q)) {
  const LocalSet& cells = local.mesh.sets[airfoil_cells];
  // q and adt, which travel together.
  const std::vector<ElementLayout> layouts{
      ElementLayout::of_records(airfoil_values[airfoil_first_q]),
      ElementLayout::of_records(airfoil_values[airfoil_adt])};
  require_device_memory(session, device,
                        AirfoilArrays<T>::bytes(local.mesh, gathers()) +
                            ElementHalo::bytes(cells, layouts, sizeof(T), staged),
                        "mesh, flow and halo buffers");
  kernels_ = make_kernels<AirfoilKernels<T>>(device);
  elements_ = std::make_unique<ElementHalo>(device, cells, layouts, sizeof(T));
  halo_ = std::make_unique<HaloStep>(session, device, elements_->messages(), staged,
                                     Announcements::sent);
  schedules_ = schedule_loops(local.mesh, workers_of(device), increments == Increments::colours);
  if (sequence == AirfoilSequence::tiled) {
    const auto done = [&](int set, int map) {
      return done_with_targets(local.mesh.maps[map], local.mesh.sets[set].executed(),
                               cells.owned());
    };
    done_by_edges_ = done(airfoil_edge_set, edge_cells_map);
    done_by_boundary_ = done(airfoil_bedges, bedge_cell_map);
  }
  arrays_ = std::make_unique<AirfoilArrays<T>>(
      device, local, gathers(), schedules_[airfoil_edge_set].order(),
      schedules_[airfoil_bedges].order(), *kernels_, stream());
}

template <class T>
void AirfoilCalls<T>::add_to(ConstantArrays& constants) const {
  arrays_->add_to(constants);
  constants.add("exported cells", elements_->exports());
  constants.add("imported cells", elements_->imports());
  constants.add("tiles' edges", done_by_edges_);
  constants.add("tiles' boundary edges", done_by_boundary_);
  constants.add("cells beside the boundary", local_.mesh.maps[bedge_cell_map].targets);
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
void AirfoilCalls<T>::iterate(PhaseClock& clock, bool overlap, const std::function<void()>& meet) {
  const std::size_t together = sequence_ == AirfoilSequence::tiled ? 3 : 1;
  for (std::size_t n = 0; n < iteration_.size(); n += together) {
    const AirfoilCall* const call = &iteration_[n];
    if (meet && call->plan.blocks()) meet();
    if (together == 3)
      run_in_tiles({call[0], call[1], call[2]}, clock, overlap);
    else
      run(*call, clock, overlap);
  }
}

template <class T>
void AirfoilCalls<T>::run(const AirfoilCall& call, PhaseClock& clock, bool overlap) {
  const bool hides = call.plan.blocks() && overlap;
  const bool is_gather = set_of(call.kernel) == airfoil_cells && call.plan.blocks();
  const LoopParts parts =
      schedules_[set_of(call.kernel)].parts(is_gather && !hides ? at_once(call.plan) : call.plan);
  with_halos(
      call, static_cast<int>(parts.before_halos.size()),
      [&](int piece) { execute(call, parts.before_halos[piece], clock); },
      [&] {
        for (const LoopPart& part : parts.after_halos) execute(call, part, clock);
      },
      clock, overlap);
  if (call.kernel == AirfoilKernel::update) sum_up_change(clock);
}

/// Computes the pieces, with what the call needs of other ranks exchanged before, or meanwhile, and
/// then the rest.
template <class T>
template <class Compute, class Rest>
void AirfoilCalls<T>::with_halos(const AirfoilCall& call, int pieces, const Compute& compute,
                                 const Rest& rest, PhaseClock& clock, bool overlap) {
  if (call.plan.blocks() && overlap)
    return halo_->overlapped(exchanged(call), stream(), clock, {pieces, compute}, rest);
  if (call.plan.blocks()) halo_->exchange(exchanged(call), clock);
  for (int piece = 0; piece < pieces; ++piece) compute(piece);
  rest();
}

template <class T>
void AirfoilCalls<T>::run_in_tiles(const Stage& stage, PhaseClock& clock, bool overlap) {
  const LocalSet& outer = local_.mesh.sets[airfoil_bedges];
  const LoopParts parts = schedules_[airfoil_edge_set].parts(stage.res_calc.plan);
  Progress done;
  const auto edges = [&](const LoopPart& part) {
    if (part.redundant) return execute(stage.res_calc, part, clock);
    timed(stage_phase, clock, [&] { launch_tiles(stage, part.elements.end, done); });
  };
  const auto rest = [&] {
    for (const LoopPart& part : parts.after_halos) edges(part);
    timed(stage_phase, clock, [&] {
      launch(stage.bres_calc, {done.boundary_edge, outer.owned()});
    });
    if (outer.ieh > 0) execute(stage.bres_calc, {{outer.owned(), outer.executed()}, true}, clock);
    timed(stage_phase, clock, [&] { launch(stage.update_adt, {done.cell, arrays_->own().end}); });
  };
  with_halos(
      stage.res_calc, static_cast<int>(parts.before_halos.size()),
      [&](int piece) { edges(parts.before_halos[piece]); }, rest, clock, overlap);
}

/// Own edges, and whatever boundary edges and cells they complete.
template <class T>
void AirfoilCalls<T>::launch_tiles(const Stage& stage, int edges_end, Progress& done) {
  constexpr int registers = 16;  // cells of whole ones, of any kind
  const std::vector<int>& outer = local_.mesh.maps[bedge_cell_map].targets;
  const int own_outer = local_.mesh.sets[airfoil_bedges].owned();
  while (done.edge < edges_end) {
    const int edge = done.edge + std::min(tile_, edges_end - done.edge);
    launch(stage.res_calc, {done.edge, edge});
    int boundary_edge = done.boundary_edge;
    while (boundary_edge < own_outer && outer[boundary_edge] < done_by_edges_[edge])
      ++boundary_edge;
    launch(stage.bres_calc, {done.boundary_edge, boundary_edge});
    const int complete = std::min(done_by_edges_[edge], done_by_boundary_[boundary_edge]);
    const int cell = std::max(done.cell, complete / registers * registers);
    launch(stage.update_adt, {done.cell, cell});
    done = {edge, boundary_edge, cell};
  }
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
