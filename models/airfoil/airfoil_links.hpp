// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/airfoil/airfoil_model.hpp"
#include "models/machine/bound.hpp"
#include "models/network/link.hpp"

namespace bellwether {

/// The link between nodes; with a note shared_memory where the machine was calibrated on one node.
/// Throws BadInput naming the machine and the link if it has neither.
const Link& airfoil_network(const Machine& machine, std::vector<std::string>& notes);

/// C of Eq. 7: ranks whose messages share a network card; as many as are on a node where the
/// machine does not say, and never more than there are.
int airfoil_ranks_per_nic(const Machine& machine, const AirfoilConditions& conditions);

/// ceil(log2 ranks), the messages on the longest way of a binary tree.
int tree_levels(int ranks);

/// Seconds of one reduction of one value: the machine's allreduce, linear in log2 of the ranks and
/// beyond its last as the logarithm grows; without it a binary tree within nodes and one between
/// them.
double airfoil_reduction(const Machine& machine, const AirfoilConditions& conditions, Bound bound,
                         std::vector<std::string>& notes);

}  // namespace bellwether
