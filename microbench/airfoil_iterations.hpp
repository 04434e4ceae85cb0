// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "microbench/bench.hpp"
#include "miniapps/airfoil/airfoil_local.hpp"
#include "miniapps/phase_clock.hpp"
#include "miniapps/stream_timer.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// Airfoil's arrays on a mesh that one rank has alone, in the bench's arena, and iterations over
/// them as the mini-app runs them. The flow starts as the free stream.
template <class T>
class AirfoilIterations {
 public:
  AirfoilIterations(Bench& bench, const AirfoilLocal& local);

  /// Runs iterations of the fused loops, or of OP2's five, and returns the seconds of all loops.
  /// The ranks of a host device meet where a run's would, before each res_calc, off the clock.
  double iterate(bool fused, int iterations);
  /// Of a loop in the last call of iterate().
  [[nodiscard]] double seconds(AirfoilLoop loop) const;

 private:
  template <class V>
  V* take(std::size_t count);
  template <class V, class From>
  V* upload(const std::vector<From>& values);
  T* sides_of(const AirfoilLocal& local, int map, std::int32_t edges, const T* x);
  template <class Launch>
  void time(AirfoilLoop loop, Launch&& launch);
  void stage(bool fused, const T* in, const T* old, T* out);

  Bench& bench_;
  std::byte* free_;  ///< of the arena
  AirfoilKernels<T>& kernels_;
  ElementRange cells_;
  EdgeRange edges_, boundary_edges_;
  AirfoilCells<T> where_{};
  AirfoilEdges<T> inner_{};
  AirfoilBoundary<T> outer_{};
  T *q_, *other_q_, *adt_, *res_, *change_;
  Heartbeat heartbeat_;
  PhaseClock clock_{heartbeat_};
  StreamTimer timer_;
};

}  // namespace bellwether
