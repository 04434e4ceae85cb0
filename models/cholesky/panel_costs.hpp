// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cholesky/cholesky_block.hpp"
#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/network/paths.hpp"
#include "models/step/program.hpp"

namespace bellwether {

/// What each panel of a run, a column or a block of them, asks of its ranks, at one bound. Panels
/// are counted from 0. Ranks are told by their distance, by how many turns they come after the
/// panel's owner, 0 being the owner itself.
class PanelCosts {
 public:
  PanelCosts(const Machine& machine, const CholeskyRun& run, const ColumnCosts& costs, Bound bound,
             std::vector<std::string>& notes);

  [[nodiscard]] int count() const { return count_; }
  /// That travel.
  [[nodiscard]] double bytes(int panel) const;
  /// Of its owner, on the device alone.
  [[nodiscard]] double factor_s(int panel) const;
  /// Of a rank's columns behind the panel, all of them, by the panel. `value_s`: as below, asked
  /// once for all ranks.
  [[nodiscard]] double update_s(int panel, int distance, double value_s) const;
  /// Of each value of that, by columns; by blocks 0.
  [[nodiscard]] double value_s(int panel) const;
  /// Of the next panel alone, by this one.
  [[nodiscard]] double next_s(int panel) const;
  /// How long a rank updates until it looks for what it has to pass on.
  [[nodiscard]] double piece_s(int panel) const;
  /// A GPU's copies of a panel that travels, down and up.
  [[nodiscard]] double to_host_s(int panel) const { return copy_s(paths_.to_host(), panel); }
  [[nodiscard]] double to_device_s(int panel) const { return copy_s(paths_.to_device(), panel); }
  /// Of the panel on its way to another rank; nothing where the run has none there. Throws BadInput
  /// where the link is missing.
  [[nodiscard]] MessageCost message(int panel, Across across) const;
  [[nodiscard]] const ExchangeRoutes& routes() const { return routes_; }

 private:
  [[nodiscard]] double copy_s(const LinkTiming* timing, int panel) const;

  CholeskyRun run_;
  ColumnCosts costs_;
  Bound bound_;
  Paths paths_;
  ExchangeRoutes routes_;
  double link_share_ = 1;  ///< the network's bandwidth to that of the links that messages pass
  bool on_gpu_;
  double value_;  ///< bytes of one
  int count_;
  std::optional<BlockPanels> blocks_;  ///< of more than one column
};

}  // namespace bellwether
