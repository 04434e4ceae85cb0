// SPDX-License-Identifier: MIT
#include "miniapps/stencil/store_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "models/errors.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

constexpr int repeats = 3;
constexpr double hopeless = 1.25;  // times the best, in its fastest sample: not measured on
// A sample, and before it sweeps of the same kind that are not timed. What other kinds have left in
// a shared cache goes and comes for tens of sweeps: a field that does not stay in it is updated
// fast for the first ten, and one that does is not in it after two.
constexpr double enough_sweeps = 20, enough_s = 20e-3;
// Launches and an event's grain, and on a host the clock's, are then small parts.
double shortest_sample_s(const Device& device) { return device.is_host() ? 2e-4 : 1e-3; }

/// Samples of one kind of sweep, each from the state in the caches that sweeps of it leave.
class SweepSamples {
 public:
  explicit SweepSamples(std::function<void()> sweep) : sweep_(std::move(sweep)) {}

  void take(const Session& session, Device& device, Stream& stream) {
    for (int n = 0; n < warming_; ++n) sweep_();
    MPI_Barrier(session.world());
    const double seconds = seconds_on(device, stream, [this] {
      for (int n = 0; n < sweeps_; ++n) sweep_();
    });
    if (!is_scaled_) {
      is_scaled_ = true;
      const double sweep_s = largest(session.world(), seconds);
      const double enough = std::min(enough_sweeps, enough_s / sweep_s);
      warming_ = static_cast<int>(std::max(enough, 1.));
      sweeps_ = static_cast<int>(
          std::clamp(std::ceil(shortest_sample_s(device) / sweep_s), std::max(enough, 1.), 1000.));
      if (sweeps_ > 1) return take(session, device, stream);
    }
    seconds_.push_back(seconds / sweeps_);
  }
  /// Of one sweep on this rank.
  [[nodiscard]] double fastest_s() const {
    return *std::min_element(seconds_.begin(), seconds_.end());
  }
  [[nodiscard]] double median_s() const { return median_of(seconds_); }

 private:
  std::function<void()> sweep_;
  int sweeps_ = 1;   ///< in a sample
  int warming_ = 1;  ///< before one
  bool is_scaled_ = false;
  std::vector<double> seconds_;
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
  struct Candidate {
    std::size_t which;
    SweepSamples samples;
    double median_s = 0;  ///< on the slowest rank
  };
  std::vector<Candidate> left;
  for (std::size_t which = 0; which < sweeps.size(); ++which)
    left.push_back({which, SweepSamples(sweeps[which])});
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double least_s = std::numeric_limits<double>::infinity();
    for (Candidate& one : left) {
      one.samples.take(session, device, stream);
      one.median_s = largest(session.world(), one.samples.median_s());
      least_s = std::min(least_s, one.median_s);
    }
    if (repeat == 0) continue;  // one sample alone may be disturbed
    std::erase_if(left, [&](const Candidate& one) {
      return largest(session.world(), one.samples.fastest_s()) > hopeless * least_s;
    });
  }
  const auto best = std::min_element(left.rbegin(), left.rend(), [](const auto& a, const auto& b) {
    return a.median_s < b.median_s;
  });
  return {best->which, largest(session.world(), best->samples.fastest_s())};
}

}  // namespace bellwether
