// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// Unit in which times of about one size are printed.
struct TimeUnit {
  double per_second;
  const char* name;
};

inline TimeUnit time_unit(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e3, "ms"};
  return {1e6, "us"};
}

}  // namespace bellwether
