// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "miniapps/airfoil/airfoil_calls.hpp"
#include "miniapps/airfoil/airfoil_checks.hpp"

namespace bellwether {

/// How iterations are computed: none of it changes what.
struct AirfoilWay {
  bool fused = true;
  bool overlap = false;
  bool staged = true;
  std::optional<Increments> increments{};  ///< absent: the device's default
  int tile = AirfoilCalls<double>::edges_of_tile;
};

/// The flow round the airfoil on one rank's part of the mesh. Every member is called by all ranks
/// together. T is float or double.
template <class T>
class AirfoilFlow {
 public:
  /// `local` is of check_airfoil's meshes; all outlive the object. Throws as AirfoilCalls does.
  AirfoilFlow(const Session& session, Device& device, const AirfoilLocal& local, AirfoilWay way);

  /// Back to the free stream everywhere.
  void restart();
  void iterate(PhaseClock& clock);
  void finish(PhaseClock& clock) { calls_.halo().finish(clock); }
  [[nodiscard]] long iterations() const { return iterations_; }

  /// The root mean square of the last iteration's change, sqrt(sum |delta q|^2 / cells), of its
  /// second stage; absent before the first iteration.
  [[nodiscard]] std::optional<double> rms();
  /// Ranks on which the last iteration's halos were not what their owners had; absent where nothing
  /// is left to tell it by (five loops, or no iteration).
  [[nodiscard]] std::optional<int> stale_ranks();
  [[nodiscard]] NotFinite not_finite();
  /// Of the state as it is, its halos exchanged as those of iterations are.
  [[nodiscard]] AirfoilResidual residual();
  /// The same of the free stream; the flow is then as it was.
  [[nodiscard]] AirfoilResidual residual_of_free_stream();
  /// Of what every iteration reads and none writes, since the object was made.
  [[nodiscard]] Verification constants() const { return constants_.unchanged(session_.world()); }
  /// Of all ranks' cells.
  [[nodiscard]] std::uint64_t fingerprint();
  /// q of the own cells.
  [[nodiscard]] std::vector<T> values();

  /// Reads and writes the arrays of cells, which keeps their bits: they are in the caches then,
  /// where they fit.
  void touch();
  /// Bytes of these arrays.
  [[nodiscard]] double working_set_bytes() const;
  /// Seconds of an iteration's exchanges with nothing to hide them. Takes iterations.
  [[nodiscard]] double bare_communication();

 private:
  [[nodiscard]] const AirfoilCall& call(AirfoilKernel kernel, AirfoilData in) const;
  [[nodiscard]] bool gathers() const { return sequence_ == AirfoilSequence::gather; }
  void run_now(const AirfoilCall& call);
  void repeat_second_stage();
  /// res of all the cells' sides.
  void find_res(AirfoilData q);
  [[nodiscard]] std::vector<AirfoilData> touched() const;
  [[nodiscard]] AirfoilSums totals(const T* values, const T* weights);

  const Session& session_;
  Device& device_;
  const AirfoilLocal& local_;
  AirfoilWay way_;
  Increments increments_;
  AirfoilSequence sequence_;
  AirfoilCalls<T> calls_;
  ConstantArrays constants_;
  long iterations_ = 0;
  std::optional<double> rms_;  ///< of the iterations so far, once it is known
  std::optional<int> stale_ranks_;
  Heartbeat unwatched_;
};

}  // namespace bellwether
