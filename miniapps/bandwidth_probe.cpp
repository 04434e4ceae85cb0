// SPDX-License-Identifier: MIT
#include "miniapps/bandwidth_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/launch/dispatch.hpp"
#include "miniapps/device_memory.hpp"
#include "models/memory_curve.hpp"

namespace bellwether {
namespace {

constexpr double largest_working_set = 512.0 * (1 << 20);

GridLayout probe_layout(double working_set_bytes) {
  const double cells = std::min(working_set_bytes, largest_working_set) / (2 * sizeof(double));
  const int n = std::max(8, static_cast<int>(std::cbrt(cells)));
  return {{n, n, n}, sizeof(double)};
}

/// Bytes per second that the calibration measured for this copy; 0 if it did not.
double calibrated_copy(const Machine* machine, int ranks, Stores stores, double working_set_bytes) {
  if (machine == nullptr) return 0;
  for (const MemoryCurve& curve : machine->device.memory) {
    if (curve.ranks == ranks && curve.rereads == 0 && curve.precision == "f64" &&
        curve.stores == name_of(stores))
      return 1 / read_curve(curve, working_set_bytes).value;
  }
  return 0;
}

}  // namespace

BandwidthProbe::BandwidthProbe(const Session& session, Device& device, const MiniApp& app,
                               const Machine* machine)
    : session_(session),
      device_(device),
      layout_(probe_layout(app.working_set_bytes())),
      stores_(app.variant().value("stores", "streaming") == name_of(Stores::cached)
                  ? Stores::cached
                  : Stores::streaming),
      stream_(device.make_stream(false)),
      kernels_(make_kernels<StreamKernels<double>>(device)) {
  require_device_memory(session, device, 2 * layout_.elements() * sizeof(double),
                        "the bandwidth probe's two arrays");
  from_ = Buffer<double>(device, layout_.elements());
  to_ = Buffer<double>(device, layout_.elements());
  kernels_->fill(from_.data(), from_.size(), 1, *stream_);
  kernels_->fill(to_.data(), to_.size(), 2, *stream_);
  device.fence(*stream_);
  const double bytes = 2.0 * static_cast<double>(layout_.interior().cells()) * sizeof(double);
  calibrated_ = calibrated_copy(machine, session.ranks_on_node(), stores_, bytes);
}

void BandwidthProbe::measure() {
  constexpr double shortest_s = 0.005;
  const double bytes = 2.0 * static_cast<double>(layout_.interior().cells()) * sizeof(double);
  const int copies = std::max(1, static_cast<int>(shortest_s * 2e10 / bytes));
  const auto copy = [&] {
    kernels_->neighbours(0, from_.data(), to_.data(), layout_, layout_.interior(), stores_,
                         *stream_);
    from_.swap(to_);  // as a step's output is the next one's input
  };
  copy();  // the caches as the calibration's repeats find them
  device_.fence(*stream_);
  MPI_Barrier(session_.world());
  const auto begin = std::chrono::steady_clock::now();
  for (int c = 0; c < copies; ++c) copy();
  device_.fence(*stream_);
  double slowest = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, session_.world());
  bytes_per_s_.push_back(bytes * copies / slowest);
}

Probe BandwidthProbe::result() const { return {summarize(bytes_per_s_), calibrated_}; }

}  // namespace bellwether
