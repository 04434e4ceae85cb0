// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/device.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"
#include "results/acceptance/occasions.hpp"
#include "run/command/accept/suite.hpp"

namespace bellwether {

/// Collective. All ranks side by side: arithmetic, memory, matrix product, and the links between
/// nodes' first ranks or a node's ranks, in rounds of pairs: beyond 256 members others on
/// each occasion. Whole on rank 0 alone.
SiblingOccasion measure_siblings(const Session& session, Device& device, Heartbeat& heartbeat,
                                 const Suite::Siblings& asked, int occasion);

}  // namespace bellwether
