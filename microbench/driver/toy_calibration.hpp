// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "microbench/driver/calibrate.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

extern std::unique_ptr<Session> session;  ///< MPI's lifetime is the test program's

/// Calibrations of a second or two.
CalibrationLimits toy_limits();

}  // namespace bellwether
