// SPDX-License-Identifier: MIT
#include "miniapps/stencil/bandwidth_probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

constexpr double shortest_sample_s = 5e-3;
constexpr int most_times = 10000;

/// Bytes per second that the calibration measured for this copy; 0 if it did not.
double calibrated_rate(const Machine* machine, int ranks, const StateCopy& copy) {
  if (machine == nullptr) return 0;
  const int arrays = arrays_told_apart(machine->device, copy.arrays);
  for (const MemoryCurve* const curve : curves_of(machine->device, copy.precision))
    if (curve->ranks == ranks && curve->rereads == 0 && curve->stores == copy.stores &&
        curve->arrays == arrays)
      return 1 / read_curve(*curve, copy.bytes).value;
  return 0;
}

}  // namespace

BandwidthProbe::BandwidthProbe(const Session& session, Device& device, Stream& stream,
                               StateCopy copy, const Machine* machine, CoreWork core)
    : session_(session),
      device_(device),
      stream_(stream),
      copy_(std::move(copy)),
      calibrated_(calibrated_rate(machine, session.ranks_on_node(), copy_)),
      core_(std::move(core)),
      copies_(times_in_sample(copy_.there_and_back)) {
  if (!core_.once || !(core_.calibrated_cells_per_s > 0))
    core_ = {};
  else
    cores_ = times_in_sample(core_.once);
}

int BandwidthProbe::times_in_sample(const std::function<void()>& once) {
  int times = 1;
  // By and by: what few take tells too little of many.
  while (times < most_times) {
    const double wanted = std::ceil(1.2 * times * shortest_sample_s / seconds(once, times));
    if (wanted <= 1.2 * times) break;
    times = static_cast<int>(std::min({wanted, 16. * times, 1. * most_times}));
  }
  return times;
}

double BandwidthProbe::seconds(const std::function<void()>& once, int times) {
  MPI_Barrier(session_.world());
  return largest(session_.world(), seconds_on(device_, stream_, [&] {
                   for (int time = 0; time < times; ++time) once();
                 }));
}

double BandwidthProbe::measure() {
  return 2 * copy_.bytes * copies_ / seconds(copy_.there_and_back, copies_);
}

double BandwidthProbe::measure_core() {
  if (cores_ == 0) return 0;
  // What disturbs a part of it does not disturb the run's median. The least of them would be faster
  // than the median that was calibrated.
  constexpr int parts = 3;
  const int times = (cores_ + parts - 1) / parts;
  core_.once();
  std::array<double, parts> part_s;
  for (double& one_s : part_s) one_s = seconds(core_.once, times);
  std::sort(part_s.begin(), part_s.end());
  return core_.cells * times / part_s[parts / 2];
}

}  // namespace bellwether
