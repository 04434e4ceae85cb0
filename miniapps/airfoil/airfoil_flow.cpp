// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_flow.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/launch/device.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/reduce.hpp"
#include "models/median.hpp"

namespace bellwether {

template <class T>
AirfoilFlow<T>::AirfoilFlow(const Session& session, Device& device, const AirfoilLocal& local,
                            AirfoilWay way)
    : session_(session),
      device_(device),
      local_(local),
      way_(way),
      increments_(way.increments.value_or(default_increments(device, way.fused))),
      sequence_(sequence_of(way.fused, increments_)),
      calls_(session, device, local, sequence_, way.staged, increments_, way.tile),
      constants_(device, calls_.stream()) {
  calls_.add_to(constants_);
  restart();
}

template <class T>
void AirfoilFlow<T>::restart() {
  calls_.start();
  iterations_ = 0;
  rms_.reset();
  stale_ranks_.reset();
}

template <class T>
void AirfoilFlow<T>::iterate(PhaseClock& clock) {
  calls_.iterate(clock, way_.overlap);
  ++iterations_;
  rms_.reset();
  stale_ranks_.reset();
}

template <class T>
std::optional<double> AirfoilFlow<T>::rms() {
  if (iterations_ == 0 || rms_) return rms_;
  if (sequence_ != AirfoilSequence::five) repeat_second_stage();
  const auto cells = static_cast<double>(local_.mesh.sets[airfoil_cells].total);
  rms_ = std::sqrt(calls_.change() / cells);
  return rms_;
}

template <class T>
std::optional<int> AirfoilFlow<T>::stale_ranks() {
  (void)rms();
  return stale_ranks_;
}

/// Fused, nothing of the second stage's change is left, but the q that it was computed from is, and
/// of a gather its adt: the stage is repeated from there, and put where the next iteration writes
/// first. The halos of that q are exchanged once more, and must not change.
template <class T>
void AirfoilFlow<T>::repeat_second_stage() {
  constexpr AirfoilData second = airfoil_second_q;
  const AirfoilArrays<T>& a = calls_.arrays();
  const auto halos = [&] {
    return calls_.kernels().fingerprint({a.own().end, a.all().end}, a.of(second), a.global(),
                                        calls_.stream());
  };
  const std::uint64_t before = halos();
  if (!gathers()) run_now(lone_call(local_.mesh, AirfoilKernel::adt_calc, second));
  find_res(second);
  int stale = halos() == before ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &stale, 1, MPI_INT, MPI_SUM, session_.world());
  stale_ranks_ = stale;
  run_now(lone_call(local_.mesh, AirfoilKernel::update, second));
  if (!gathers()) run_now(lone_call(local_.mesh, AirfoilKernel::adt_calc, airfoil_first_q));
}

template <class T>
void AirfoilFlow<T>::find_res(AirfoilData q) {
  if (!gathers()) {
    run_now(call(AirfoilKernel::res_calc, q));
    return run_now(call(AirfoilKernel::bres_calc, q));
  }
  AirfoilCall same = call(AirfoilKernel::stage, q);
  same.kernel = AirfoilKernel::gather_res;
  run_now(same);
}

template <class T>
NotFinite AirfoilFlow<T>::not_finite() {
  if (totals(calls_.arrays().of(airfoil_first_q), nullptr).not_finite == 0) return {};
  return find_not_finite(session_.world(), values(), local_.mesh.sets[airfoil_cells]);
}

template <class T>
AirfoilResidual AirfoilFlow<T>::residual() {
  const AirfoilArrays<T>& a = calls_.arrays();
  const auto boundary = lone_call(local_.mesh, AirfoilKernel::bres_calc, airfoil_first_q);
  AirfoilResidual found;
  run_now(lone_call(local_.mesh, AirfoilKernel::adt_calc, airfoil_first_q));
  found.flow = totals(a.of(airfoil_first_q), a.of(airfoil_adt));
  find_res(airfoil_first_q);
  found.all = totals(a.of(airfoil_res), nullptr);
  found.away_from_wall = totals(a.of(airfoil_res), a.away_from_wall());
  calls_.kernels().clear(a.own(), a.of(airfoil_res), calls_.stream());
  run_now(boundary);
  found.boundary = totals(a.of(airfoil_res), nullptr);
  calls_.kernels().clear(a.own(), a.of(airfoil_res), calls_.stream());
  return found;
}

/// The second q, between iterations only the rms' (which is known then), keeps the flow.
template <class T>
AirfoilResidual AirfoilFlow<T>::residual_of_free_stream() {
  (void)rms();
  const AirfoilArrays<T>& a = calls_.arrays();
  AirfoilKernels<T>& kernels = calls_.kernels();
  T* const q = a.of(airfoil_first_q);
  T* const kept = a.of(airfoil_second_q);
  kernels.save_soln(a.all(), q, kept, calls_.stream());
  kernels.set_free_stream(a.all(), q, calls_.stream());
  const AirfoilResidual found = residual();
  kernels.save_soln(a.all(), kept, q, calls_.stream());
  run_now(lone_call(local_.mesh, AirfoilKernel::adt_calc, airfoil_first_q));
  return found;
}

template <class T>
std::uint64_t AirfoilFlow<T>::fingerprint() {
  const AirfoilArrays<T>& a = calls_.arrays();
  return sum_of_hashes(
      session_.world(),
      calls_.kernels().fingerprint(a.own(), a.of(airfoil_first_q), a.global(), calls_.stream()));
}

template <class T>
std::vector<T> AirfoilFlow<T>::values() {
  const AirfoilArrays<T>& a = calls_.arrays();
  std::vector<T> q(4 * static_cast<std::size_t>(a.own().count()));
  if (q.empty()) return q;
  device_.copy_and_wait(q.data(), a.of(airfoil_first_q), q.size() * sizeof(T), calls_.stream());
  return q;
}

template <class T>
void AirfoilFlow<T>::touch() {
  const AirfoilArrays<T>& a = calls_.arrays();
  const auto copies = make_kernels<StreamKernels<T>>(device_);
  for (const AirfoilData data : touched())
    copies->update(a.of(data), T(1), 4 * static_cast<std::size_t>(a.own().count()), 1,
                   Prefetch::rows, calls_.stream());
  device_.fence(calls_.stream());
}

template <class T>
double AirfoilFlow<T>::working_set_bytes() const {
  const double values = 4. * static_cast<double>(touched().size());
  return static_cast<double>(local_.mesh.sets[airfoil_cells].owned()) * values * sizeof(T);
}

template <class T>
std::vector<AirfoilData> AirfoilFlow<T>::touched() const {
  if (gathers()) return {airfoil_first_q, airfoil_second_q};
  return {airfoil_first_q, airfoil_second_q, airfoil_res};
}

template <class T>
double AirfoilFlow<T>::bare_communication() {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 7; ++repeat) {
    PhaseClock clock(unwatched_);
    iterate(clock);
    double all = 0;
    for (const AirfoilCall& call : calls_.iteration())
      if (call.plan.blocks()) all += calls_.halo().bare_exchange(calls_.exchanged(call));
    seconds.push_back(all);
  }
  return median_of(seconds);
}

template <class T>
const AirfoilCall& AirfoilFlow<T>::call(AirfoilKernel kernel, AirfoilData in) const {
  return *std::find_if(
      calls_.iteration().begin(), calls_.iteration().end(),
      [&](const AirfoilCall& call) { return call.kernel == kernel && call.in == in; });
}

template <class T>
void AirfoilFlow<T>::run_now(const AirfoilCall& call) {
  PhaseClock clock(unwatched_);
  calls_.run(call, clock, way_.overlap);
  calls_.halo().finish(clock);
}

template <class T>
AirfoilSums AirfoilFlow<T>::totals(const T* values, const T* weights) {
  return total_over_ranks(session_.world(), calls_.kernels().sums(calls_.arrays().own(), values,
                                                                  weights, calls_.stream()));
}

template class AirfoilFlow<float>;
template class AirfoilFlow<double>;

}  // namespace bellwether
