// SPDX-License-Identifier: MIT
#include "miniapps/stencil/bandwidth_probe.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

/// Bytes per second that the calibration measured for this copy; 0 if it did not.
double calibrated_rate(const Machine* machine, int ranks, const StateCopy& copy) {
  if (machine == nullptr) return 0;
  for (const MemoryCurve& curve : machine->device.memory) {
    if (curve.ranks == ranks && curve.rereads == 0 && curve.precision == copy.precision &&
        curve.stores == copy.stores && curve.arrays == copy.arrays)
      return 1 / read_curve(curve, copy.bytes).value;
  }
  return 0;
}

}  // namespace

BandwidthProbe::BandwidthProbe(const Session& session, StateCopy copy, const Machine* machine)
    : session_(session),
      copy_(std::move(copy)),
      calibrated_(calibrated_rate(machine, session.ranks_on_node(), copy_)) {}

double BandwidthProbe::measure() {
  constexpr double sample_bytes = 1e8;  // some milliseconds
  const double bytes = 2 * copy_.bytes;
  const int copies = std::max(1, static_cast<int>(sample_bytes / bytes));
  MPI_Barrier(session_.world());
  const auto begin = std::chrono::steady_clock::now();
  for (int c = 0; c < copies; ++c) copy_.there_and_back();
  double slowest = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, session_.world());
  return bytes * copies / slowest;
}

}  // namespace bellwether
