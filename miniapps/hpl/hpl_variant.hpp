// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// How a factorization is done.
struct HplVariant {
  bool look_ahead = true;
  std::string bcast = "ring-modified";  ///< one of broadcast_names()
  std::string swap = "mix";             ///< one of swap_names()
  int swap_threshold = 64;  ///< columns up to which mix takes binary-exchange, then spread-roll
  int threads = 0;          ///< BLAS threads of a rank; 0: the node's cores over its ranks
};

/// {"overlap": "on", "bcast": …, "swap": …, "threads": …}; with mix also "swap_threshold", where
/// that is not 64.
nlohmann::json to_json(const HplVariant& variant);

const std::vector<std::string>& swap_names();

}  // namespace bellwether
