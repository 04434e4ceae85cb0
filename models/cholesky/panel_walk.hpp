// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/cholesky/panel_costs.hpp"
#include "models/cholesky/panel_links.hpp"
#include "models/noise/drawn_delays.hpp"

namespace bellwether {

/// A factorization as it goes from panel to panel: seconds of all of it, and of the mean rank what
/// they are spent on.
struct PanelWalk {
  double total_s = 0;
  double scale_s = 0, update_s = 0;
  double wait_s = 0;     ///< for a panel's owner to have it
  double network_s = 0;  ///< for it to come from there
  double to_host_s = 0, to_device_s = 0;
  double delays_s = 0;     ///< own detours, in no other part
  double imbalance_s = 0;  ///< of each next owner's update beyond the mean one
  /// From each panel's owner to the next one's, and what of it that one waits.
  double way_s = 0, exposed_s = 0;
};

/// With overlap: seconds of its update after which each rank first looks for the panel, by panel
/// that was looked at and the rank's distance from its owner.
struct PanelLooks {
  double each = 1;  ///< panels that stand for one
  std::vector<std::vector<float>> after_s;

  [[nodiscard]] double of(int panel, int distance) const;
};

/// Walks through the panels with all ranks: each receives a panel when its parent in the tree
/// passes it on and, if it is too large to be copied aside, when it has itself taken the one
/// before. Such panels leave a rank one after another, smaller ones at once; messages share links
/// only while they are on them, so that who is late with the last panel does not slow this one's
/// way to the next owner. The owner of the next panel updates that first with overlap; without, it
/// first updates all of its own. Of more than some 65536 messages so many panels are looked at,
/// each standing for those beside it, forward and backward. `looks` is filled where it is given.
/// With `delays` each rank's work takes longer by them.
PanelWalk walk_panels(const PanelCosts& costs, const CholeskyRun& run, const PanelLinks& links,
                      Bound bound, PanelLooks* looks = nullptr, DrawnDelays* delays = nullptr);

}  // namespace bellwether
