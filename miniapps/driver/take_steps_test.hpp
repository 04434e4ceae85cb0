// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/driver/miniapp.hpp"

namespace bellwether {

/// For tests: `count` steps, unwatched and untimed.
inline void take_steps(MiniApp& app, int count) {
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (int s = 0; s < count; ++s) app.step(clock);
  app.finish(clock);
}

}  // namespace bellwether
