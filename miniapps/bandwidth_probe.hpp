// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "kernels/launch/device.hpp"
#include "kernels/stream/stream.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/miniapp.hpp"
#include "results/record.hpp"

namespace bellwether {

/// A copy through the launchers, of the app's precision, stores and working set (up to 512 MiB),
/// between its samples: tells a machine whose bandwidth has changed since its calibration from a
/// wrong model.
class BandwidthProbe {
 public:
  /// Collective. Throws BadEnvironment if the copy's memory is not there.
  BandwidthProbe(const Session& session, Device& device, const MiniApp& app,
                 const Machine* machine);
  /// Collective. One more measurement, untimed by the run loop.
  void measure();
  [[nodiscard]] Probe result() const;

 private:
  const Session& session_;
  Device& device_;
  GridLayout layout_;
  Stores stores_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<StreamKernels<double>> kernels_;
  Buffer<double> from_, to_;
  double calibrated_ = 0;
  std::vector<double> bytes_per_s_;
};

}  // namespace bellwether
