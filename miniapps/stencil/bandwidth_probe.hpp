// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
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
};

/// Work whose data are in the caches, and the rate that the calibration found of it.
struct CoreWork {
  std::function<void()> once;  ///< puts it on the stream; empty: none
  double cells = 0;
  double calibrated_cells_per_s = 0;
};

/// The memory bandwidth that such copies reach, in samples of 5 ms and more by the device's events,
/// the caches being those that a step meets; and before that in samples of as long how fast the
/// core is.
class BandwidthProbe final : public Probe {
 public:
  /// Collective: finds how many copies a sample takes. `machine` may be null: then nothing is known
  /// to compare with. Work of the core that was not calibrated is not measured.
  BandwidthProbe(const Session& session, Device& device, Stream& stream, StateCopy copy,
                 const Machine* machine, CoreWork core = {});
  [[nodiscard]] const char* of() const override { return "memory"; }
  [[nodiscard]] const char* unit() const override { return "B/s"; }
  double measure() override;
  double measure_core() override;
  [[nodiscard]] double calibrated_core() const override { return core_.calibrated_cells_per_s; }
  [[nodiscard]] double calibrated() const override { return calibrated_; }

 private:
  /// Of so many times something in turn, on the slowest rank.
  double seconds(const std::function<void()>& once, int times);
  /// Of how many a sample lasts long enough.
  int times_in_sample(const std::function<void()>& once);

  const Session& session_;
  Device& device_;
  Stream& stream_;
  StateCopy copy_;
  double calibrated_;
  CoreWork core_;
  int copies_, cores_ = 0;  ///< in a sample
};

}  // namespace bellwether
