// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/bound.hpp"
#include "models/placement.hpp"

namespace bellwether {

/// Seconds until a message has arrived in both directions between two ranks while the node's other
/// ranks exchange too: ranks_on_node pairs at once on the network, half as many in shared memory.
/// The timing is the link's for that many pairs, or for the nearest fewer; where more than were
/// calibrated are at it, they share its bandwidth, which is noted. Without exchanges measured, two
/// one-way times.
double exchange_time(const Path& path, int ranks_on_node, double bytes, Bound bound,
                     std::vector<std::string>& notes);

}  // namespace bellwether
