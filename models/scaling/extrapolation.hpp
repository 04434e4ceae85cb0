// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// Nodes between which the machine's network is known: those of its calibration, 2 of a paper's,
/// and of a data sheet's as many as its class was estimated on.
double known_nodes(const Machine& machine);

/// Widens a refined prediction's intervals for more nodes than known_nodes(): the squared log
/// half-width of what passes between ranks (network and reduce terms) grows by
/// device_classes().widening_per_doubling^2 with each doubling, and the total's accordingly. Of no
/// more nodes nothing changes.
void widen_beyond_known_nodes(const Machine& machine, int nodes, Prediction& refined);

}  // namespace bellwether
