// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Where `ranks` of a node that share its memory are on the way from `below` to `above` ranks, 0 to
/// 1: t^q is linear in R^q, so that t = (t_1^q + (R / R_0)^q)^(1/q) passes through both. Between
/// numbers of ranks of STREAM's copies with such stores, where the machine has them there.
double saturation(const std::vector<StreamResult>& stream, const std::string& stores, int below,
                  double ranks, int above);

/// Seconds, or seconds per byte, a share of that way from those of fewer ranks to those of more.
double saturating(double below, double above, double share);

}  // namespace bellwether
