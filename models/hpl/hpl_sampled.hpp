// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_schedule.hpp"

namespace bellwether {

/// A factorization summed over a sample of its panels, each for those beside it: of each the longer
/// of what the busiest process column does and of the way from panel to panel. An infinite total
/// once it exceeds `give_up_s`.
HplFactorization sampled_hpl(const HplSteps& steps, bool look_ahead, double give_up_s);

}  // namespace bellwether
