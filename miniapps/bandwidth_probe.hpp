// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "miniapps/comm/session.hpp"
#include "miniapps/miniapp.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Copies of the mini-app's own state between its samples: tells a machine whose memory bandwidth
/// has changed since its calibration from a wrong model. The caches are those that the step meets.
class BandwidthProbe {
 public:
  /// `machine` may be null: then nothing is known to compare with.
  BandwidthProbe(const Session& session, MiniApp& app, const Machine* machine);
  /// Collective. One more measurement, untimed by the run loop.
  void measure();
  [[nodiscard]] Probe result() const;

 private:
  const Session& session_;
  MiniApp& app_;
  double calibrated_;
  std::vector<double> bytes_per_s_;
};

}  // namespace bellwether
