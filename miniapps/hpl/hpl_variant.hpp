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
  std::string swap = "mix";             ///< one of row_swap_names()
  int swap_threshold = 64;  ///< columns up to which mix takes binary-exchange, then spread-roll
  int threads = 0;          ///< BLAS threads of a rank; 0: the node's cores over its ranks
  /// The device's part of the products where the matrix lies in the host's memory: a number from 0
  /// to 1, or auto, which goes by measured rates; empty: the matrix lies in the device's memory.
  std::string device_share = {};
  /// Who factors panels of a matrix in a GPU's memory: one of panel_names(); empty, as it is chosen
  /// (panel_chosen()).
  std::string panel = {};
  [[nodiscard]] bool panel_on_device() const { return panel == "device" || panel == "cusolver"; }
  [[nodiscard]] bool is_split() const { return !device_share.empty(); }
};

/// "host", "device", "cusolver".
std::vector<std::string> panel_names();
/// Who factors panels of a matrix on a grid of so many rows of processes: as asked for, else the
/// device in whose memory it lies (`on_host` false) if there is one row, where the host need not
/// wait for each column. Throws BadInput for who cannot: on a host the device, and with several
/// rows cusolver.
std::string panel_chosen(const std::string& asked, bool on_host, int grid_rows);

/// {"overlap": "on", "bcast": …, "swap": …, "threads": …}; with mix also "swap_threshold", where
/// that is not 64; with a split also "device_share", as it was asked for; "panel" where it is
/// known.
nlohmann::json to_json(const HplVariant& variant);

}  // namespace bellwether
