// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "microbench/driver/calibrate.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

extern std::unique_ptr<Session> session;  ///< MPI's lifetime is the test program's

/// Calibrations of a few seconds.
CalibrationLimits toy_limits();

struct ToyCalibration {
  Machine machine;
  SampleStore samples;
};

/// The one within `toy_limits` on the host, for all tests that look at parts of it. Its first call
/// measures, and is collective.
const ToyCalibration& toy_calibration();

}  // namespace bellwether
