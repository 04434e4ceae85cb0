// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "miniapps/airfoil/airfoil_arrays.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/comm/halo_step.hpp"
#include "miniapps/mesh/element_halo.hpp"
#include "miniapps/mesh/loop_schedule.hpp"

namespace bellwether {

/// Runs the loops of an iteration on one rank's part of the mesh: the halos that a call's plan
/// names, its parts in their order, and the phases. These are Halo's; compute.<loop>;
/// compute.redundant, other ranks' edges and boundary edges that add to own cells; and reduce. A
/// call gives the same bits with and without overlap. T is float or double.
template <class T>
class AirfoilCalls {
 public:
  /// Collective. All outlive the object. `iteration`: whose halos are exchanged, of stages where
  /// `increments` is gather. Throws BadEnvironment, before it allocates anything large, where
  /// memory does not suffice, and as HaloStep does.
  AirfoilCalls(const Session& session, Device& device, const AirfoilLocal& local,
               const std::vector<AirfoilCall>& iteration, bool staged, Increments increments);

  /// The free stream everywhere, its adt, and a res of 0: what iterations begin with. Waits until
  /// it is there.
  void start();
  /// `overlap`: what the plan allows is computed while halos are under way.
  void run(const AirfoilCall& call, PhaseClock& clock, bool overlap);

  /// Of all ranks' cells, from the last update(): the sum of |res / adt|^2.
  [[nodiscard]] double change() const { return change_; }
  [[nodiscard]] AirfoilArrays<T>& arrays() { return *arrays_; }
  [[nodiscard]] AirfoilKernels<T>& kernels() { return *kernels_; }
  [[nodiscard]] HaloStep& halo() { return *halo_; }
  [[nodiscard]] Stream& stream() { return halo_->stream(); }
  /// What a call exchanges.
  [[nodiscard]] HaloPacking exchanged(const AirfoilCall& call) const;

 private:
  void execute(const AirfoilCall& call, const LoopPart& part, PhaseClock& clock);
  void launch(const AirfoilCall& call, const EdgeRange& elements);
  void sum_up_change(PhaseClock& clock);
  /// Of the cells that have this q.
  [[nodiscard]] T* adt_of(AirfoilData q) const {
    return arrays_->of(gathers_ ? gathered_adt(q) : airfoil_adt);
  }
  template <class Launch>
  void timed(const char* phase, PhaseClock& clock, Launch&& launch) {
    halo_->timer().time(clock, phase, stream(), launch);
  }

  const Session& session_;
  bool gathers_;
  AirfoilCall first_adt_;
  std::unique_ptr<AirfoilKernels<T>> kernels_;
  std::vector<LoopSchedule> schedules_;  ///< by AirfoilSet
  std::unique_ptr<ElementHalo> elements_;
  std::unique_ptr<HaloStep> halo_;
  std::unique_ptr<AirfoilArrays<T>> arrays_;
  double change_ = 0;
  Heartbeat unwatched_;
};

}  // namespace bellwether
