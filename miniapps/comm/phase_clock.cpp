// SPDX-License-Identifier: MIT
#include "miniapps/comm/phase_clock.hpp"

#include <algorithm>

namespace bellwether {

void PhaseClock::add(const char* phase, double seconds) {
  const auto known = std::find_if(phases_.begin(), phases_.end(), [phase](const Phase& one) {
    return std::string_view(one.name) == phase;
  });
  if (known != phases_.end())
    known->seconds += seconds;
  else
    phases_.push_back({phase, seconds});
  if (after_work_ && seconds > 0 && is_work(phase)) after_work_(seconds);
}

}  // namespace bellwether
