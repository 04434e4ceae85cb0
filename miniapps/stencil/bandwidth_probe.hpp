// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/probe.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// A copy of a mini-app's state to scratch memory and back, or in place, as one of the calibrated
/// memory curves measures it.
struct StateCopy {
  std::string precision, stores;  ///< of the curve
  int arrays = 1;                 ///< gone through at once
  double bytes = 0;               ///< the working set; moved each way
  /// Puts it on the stream; leaves the state, halo included, as it was.
  std::function<void()> there_and_back;
  /// The same on contiguous memory, by a plain copy or update; empty: none.
  std::function<void()> plain;
  double plain_bytes = 0;  ///< moved each way
};

/// The memory bandwidth that such copies reach, in samples of 5 ms and more by the device's events.
/// The caches are those that a step meets.
class BandwidthProbe final : public Probe {
 public:
  /// Collective: finds how many copies a sample takes. `machine` may be null: then nothing is known
  /// to compare with.
  BandwidthProbe(const Session& session, Device& device, Stream& stream, StateCopy copy,
                 const Machine* machine);
  [[nodiscard]] const char* of() const override { return "memory"; }
  [[nodiscard]] const char* unit() const override { return "B/s"; }
  double measure() override;
  double measure_plain() override;
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Of so many of a sample's copies, on the slowest rank.
  double seconds(const std::function<void()>& copy, int copies);

  const Session& session_;
  Device& device_;
  Stream& stream_;
  StateCopy copy_;
  double calibrated_;
  int copies_ = 1;  ///< in a sample
};

}  // namespace bellwether
