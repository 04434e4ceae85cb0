// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace bellwether {

/// How a case is run, for every mini-app alike; the names are those of the options and the record.
struct Variant {
  std::string backend = "kokkos";
  bool overlap = false;
  std::string halo = "staged";    ///< "staged" or "direct"
  std::string stores = "auto";    ///< "auto", "cached" or "streaming"
  std::string rate = "roofline";  ///< what the predictions take: "roofline" or "measured"
};

}  // namespace bellwether
