// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "miniapps/airfoil/airfoil_arrays.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/comm/halo_step.hpp"
#include "miniapps/mesh/element_halo.hpp"
#include "miniapps/mesh/loop_schedule.hpp"

namespace bellwether {

/// Runs an iteration's loops on a rank's part of the mesh, the same bits with and without overlap.
/// Edges in order go tile by tile, each finished while it is in the caches.
template <class T>
class AirfoilCalls {
 public:
  /// Edges of a tile, some 0.8 MB in f64 of what its loops hand on: it stays in a core's share of
  /// the caches, and what starting three loops takes does not count.
  static constexpr int edges_of_tile = 8192;

  /// Collective. All outlive the object; `iteration` fits the increments. Throws BadEnvironment,
  /// before it allocates anything large, where memory does not suffice, and as HaloStep does.
  AirfoilCalls(const Session& session, Device& device, const AirfoilLocal& local,
               AirfoilSequence sequence, bool staged, Increments increments,
               int tile = edges_of_tile);

  /// The free stream everywhere, its adt, and a res of 0: what iterations begin with. Waits until
  /// it is there.
  void start();
  /// `overlap`: what the plans allow is computed while halos are under way. `meet`: called before
  /// each exchange, or null.
  void iterate(PhaseClock& clock, bool overlap, const std::function<void()>& meet = nullptr);
  /// A call by itself, never in tiles.
  void run(const AirfoilCall& call, PhaseClock& clock, bool overlap);

  /// Of all ranks' cells, from the last update(): the sum of |res / adt|^2.
  [[nodiscard]] double change() const { return change_; }
  /// What every iteration reads and none writes.
  void add_to(ConstantArrays& constants) const;
  [[nodiscard]] AirfoilArrays<T>& arrays() { return *arrays_; }
  [[nodiscard]] AirfoilKernels<T>& kernels() { return *kernels_; }
  [[nodiscard]] HaloStep& halo() { return *halo_; }
  [[nodiscard]] Stream& stream() { return halo_->stream(); }
  [[nodiscard]] const std::vector<AirfoilCall>& iteration() const { return iteration_; }
  /// What a call exchanges.
  [[nodiscard]] HaloPacking exchanged(const AirfoilCall& call) const;

 private:
  /// The calls of a stage's three loops.
  struct Stage {
    const AirfoilCall &res_calc, &bres_calc, &update_adt;
  };
  /// How far a stage is.
  struct Progress {
    int edge = 0, boundary_edge = 0, cell = 0;
  };
  void run_in_tiles(const Stage& stage, PhaseClock& clock, bool overlap);
  void launch_tiles(const Stage& stage, int edges_end, Progress& done);
  template <class Compute, class Rest>
  void with_halos(const AirfoilCall& call, int pieces, const Compute& compute, const Rest& rest,
                  PhaseClock& clock, bool overlap);
  void execute(const AirfoilCall& call, const LoopPart& part, PhaseClock& clock);
  void launch(const AirfoilCall& call, const EdgeRange& elements);
  void sum_up_change(PhaseClock& clock);
  [[nodiscard]] bool gathers() const { return sequence_ == AirfoilSequence::gather; }
  /// Of the cells that have this q.
  [[nodiscard]] T* adt_of(AirfoilData q) const {
    return arrays_->of(gathers() ? gathered_adt(q) : airfoil_adt);
  }
  template <class Launch>
  void timed(const char* phase, PhaseClock& clock, Launch&& launch) {
    halo_->timer().time(clock, phase, stream(), launch);
  }

  const Session& session_;
  const AirfoilLocal& local_;
  AirfoilSequence sequence_;
  std::vector<AirfoilCall> iteration_;
  int tile_;
  AirfoilCall first_adt_;
  /// In tiles: cells that edges, boundary edges before the n-th are done with (done_with_targets).
  std::vector<int> done_by_edges_, done_by_boundary_;
  std::unique_ptr<AirfoilKernels<T>> kernels_;
  std::vector<LoopSchedule> schedules_;  ///< by AirfoilSet
  std::unique_ptr<ElementHalo> elements_;
  std::unique_ptr<HaloStep> halo_;
  std::unique_ptr<AirfoilArrays<T>> arrays_;
  double change_ = 0;
  Heartbeat unwatched_;
};

}  // namespace bellwether
