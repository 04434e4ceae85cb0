// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bellwether {

/// How a factorization is done.
struct HplVariant {
  bool look_ahead = true;
  std::string bcast = "ring-modified";  ///< one of broadcast_names()
  std::string swap = "mix";             ///< one of row_swap_names()
  int swap_threshold = 64;  ///< columns up to which mix takes binary-exchange, then spread-roll
  int threads = 0;          ///< BLAS threads of a rank; 0: the node's cores over its ranks
  /// The device's part of the products where the matrix lies in the host's memory: a number from 0
  /// to 1, or auto, which goes by measured rates; empty: the matrix lies in the device's memory.
  std::string device_share = {};
  [[nodiscard]] bool is_split() const { return !device_share.empty(); }
};

/// {"overlap": "on", "bcast": …, "swap": …, "threads": …}; with mix also "swap_threshold", where
/// that is not 64; with a split also "device_share", as it was asked for.
nlohmann::json to_json(const HplVariant& variant);

}  // namespace bellwether
