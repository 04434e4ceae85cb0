// SPDX-License-Identifier: MIT
#include "miniapps/stencil/store_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "miniapps/comm/stream_timer.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr int repeats = 4;
constexpr double shortest_sample_s = 1e-3;  // launches and an event's grain are then small parts

double slowest_ranks(const Session& session, double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, session.world());
  return seconds;
}

/// Samples of one kind of sweep, each from the state in the caches that a sweep before it leaves.
class SweepSamples {
 public:
  explicit SweepSamples(std::function<void()> sweep) : sweep_(std::move(sweep)) {}

  void take(const Session& session, Device& device, Stream& stream) {
    sweep_();
    MPI_Barrier(session.world());
    const double seconds = seconds_on(device, stream, [this] {
      for (int n = 0; n < sweeps_; ++n) sweep_();
    });
    const bool first = sweeps_ == 1 && fastest_s_ == never;
    if (first) {
      const double wanted = std::ceil(shortest_sample_s / slowest_ranks(session, seconds));
      sweeps_ = static_cast<int>(std::clamp(wanted, 1., 1000.));
      if (sweeps_ > 1) return;
    }
    fastest_s_ = std::min(fastest_s_, seconds / sweeps_);
  }
  /// Of one sweep on this rank.
  [[nodiscard]] double fastest_s() const { return fastest_s_; }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::function<void()> sweep_;
  int sweeps_ = 1;  ///< in a sample
  double fastest_s_ = never;
};

}  // namespace

void require_stores(const Session& session, const Device& device, const std::string& asked) {
  agree_on_errors(session.world(), [&] {
    std::string kinds;
    for (const Stores stores : device.store_kinds()) {
      if (asked == "auto" || asked == name_of(stores)) return;
      kinds += (kinds.empty() ? "" : " and ") + std::string(name_of(stores));
    }
    throw BadEnvironment(fmt::format("--stores {}: {} has {} stores only (or --stores auto)", asked,
                                     device.description(), kinds));
  });
}

SweepChoice choose_sweep(const Session& session, Device& device, Stream& stream,
                         const std::vector<std::function<void()>>& sweeps) {
  std::vector<SweepSamples> candidates(sweeps.begin(), sweeps.end());
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (SweepSamples& samples : candidates) samples.take(session, device, stream);
  SweepChoice best{0, std::numeric_limits<double>::infinity()};
  for (std::size_t which = 0; which < candidates.size(); ++which) {
    const double sweep_s = slowest_ranks(session, candidates[which].fastest_s());
    if (sweep_s <= best.sweep_s) best = {which, sweep_s};
  }
  return best;
}

double fastest_sweep(const Session& session, Device& device, Stream& stream,
                     const std::function<void()>& sweep) {
  return choose_sweep(session, device, stream, {sweep}).sweep_s;
}

}  // namespace bellwether
