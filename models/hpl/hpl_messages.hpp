// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/hpl/hpl_step.hpp"

namespace bellwether {

/// Seconds of the messages of w doubles that gather a block's partial sums along the row and send
/// its solution along the column, one after another.
double solve_messages(const HplSteps& steps, double w);

/// Seconds of sending all of x to all processes of a row.
double gathering(const HplSteps& steps);

/// Messages of the process column `from` to those that are on other nodes, in their order.
std::vector<HplEdge> edges_from(const HplSteps& steps, int from, const std::vector<int>& to);

/// Seconds that a panel of so many bytes takes on such a way beside its other messages.
double move_s(const HplSteps& steps, double bytes, const HplEdge& edge);

/// Adds what shows of a panel's making and moving where something else goes on meanwhile.
void add_exposed(const HplTerms& made, double exposed_s, HplTerms& terms);

}  // namespace bellwether
