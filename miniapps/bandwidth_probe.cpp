// SPDX-License-Identifier: MIT
#include "miniapps/bandwidth_probe.hpp"

#include <algorithm>
#include <chrono>

#include "models/memory_curve.hpp"

namespace bellwether {
namespace {

/// Bytes per second that the calibration measured for this copy; 0 if it did not.
double calibrated_copy(const Machine* machine, int ranks, const MiniApp& app) {
  if (machine == nullptr) return 0;
  const std::string precision = app.problem().value("precision", "");
  const std::string stores = app.variant().value("stores", "");
  for (const MemoryCurve& curve : machine->device.memory) {
    if (curve.ranks == ranks && curve.rereads == 0 && curve.precision == precision &&
        curve.stores == stores)
      return 1 / read_curve(curve, app.working_set_bytes()).value;
  }
  return 0;
}

}  // namespace

BandwidthProbe::BandwidthProbe(const Session& session, MiniApp& app, const Machine* machine)
    : session_(session),
      app_(app),
      calibrated_(calibrated_copy(machine, session.ranks_on_node(), app)) {}

void BandwidthProbe::measure() {
  constexpr double sample_bytes = 1e8;  // some milliseconds
  const double bytes = 2 * app_.working_set_bytes();
  const int copies = std::max(1, static_cast<int>(sample_bytes / bytes));
  MPI_Barrier(session_.world());
  const auto begin = std::chrono::steady_clock::now();
  for (int c = 0; c < copies; ++c) app_.copy_there_and_back();
  double slowest = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, session_.world());
  bytes_per_s_.push_back(bytes * copies / slowest);
}

Probe BandwidthProbe::result() const { return {summarize(bytes_per_s_), calibrated_}; }

}  // namespace bellwether
