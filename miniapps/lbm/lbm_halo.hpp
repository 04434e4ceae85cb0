// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/lbm/lbm.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {

/// A rank's storage: rows are dense where x is periodic and not split.
LbmLayout lbm_layout(const Decomposition& decomposition, int rank, std::size_t element_bytes);

/// The populations that a rank and its neighbours exchange after a step: 5 of each cell of a face
/// and 1 of each cell of an edge, both ways, each where it stands. For a pair p and x + c = y:
/// - where x is here and y there, the +c population that x sent out stands at the ghost cell y, in
///   the slot that y's owner will find it in: it goes to the owner's cell y.
/// - where y is here and x there, the -c population that y sent out stands at y, in the slot
///   where x will look for it at its ghost cell y: it goes there.
/// A place crosses once: what crosses an edge is not among a face's. In a direction that is not
/// split nothing crosses.
std::vector<HaloMessage> lbm_messages(const Decomposition& decomposition, int rank,
                                      const LbmLayout& layout, std::size_t element_bytes);

}  // namespace bellwether
