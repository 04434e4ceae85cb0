// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// "12.34 ms": four digits and a unit that fits.
std::string time_text(double seconds);
/// "[12.01, 13.20]" in the unit in which time_text(seconds) is; "-" where both ends are `seconds`.
std::string interval_text(double seconds, double low, double high);
/// "4.41 Gcells/s"
std::string rate_text(double per_s, const std::string& unit);
/// "-" for a form that is not there.
std::string total_text(const ScalingPoint* point);
/// "on" or "off"
const char* overlap_text(bool overlap);
/// "12.3 %"
std::string percent_text(double fraction);

}  // namespace bellwether
