// SPDX-License-Identifier: MIT
#include "miniapps/comm/phase_clock.hpp"

#include <string_view>

namespace bellwether {

void PhaseClock::add(const char* phase, double seconds) {
  for (Phase& known : phases_) {
    if (std::string_view(known.name) == phase) {
      known.seconds += seconds;
      return;
    }
  }
  phases_.push_back({phase, seconds});
}

}  // namespace bellwether
