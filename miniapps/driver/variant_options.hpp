// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "miniapps/driver/options.hpp"

namespace bellwether {

/// --overlap, for applications that can hide communication behind computation.
class OverlapOption {
 public:
  void add_to(Options& options) {
    options.add_choice("--overlap", overlap_, {"off", "on", "both"},
                       "Hide communication behind computation: off, on or both");
  }
  /// The modes in the order in which they run.
  [[nodiscard]] std::vector<bool> modes() const {
    if (overlap_ == "both") return {false, true};
    return {overlap_ == "on"};
  }

 private:
  std::string overlap_ = "both";
};

/// --halo, for applications that exchange halos.
inline void add_halo_option(Options& options, std::string& halo) {
  options.add_choice("--halo", halo, {"staged", "direct"},
                     "staged: through host memory; direct: MPI is given device memory");
}

inline const char* on_or_off(bool overlap) { return overlap ? "on" : "off"; }

}  // namespace bellwether
