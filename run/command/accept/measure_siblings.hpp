// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

struct SiblingLimits {
  double sample_s = 0;                 ///< of one quantity on one rank
  std::size_t link_message_bytes = 0;  ///< beside the smallest
  int occasion = 0;                    ///< which it is: beyond 256 members each meets others
};

/// Collective. All ranks side by side: arithmetic, memory, matrix product, and the links between
/// nodes' first ranks or a node's ranks, in rounds of pairs. On rank 0; null elsewhere.
nlohmann::json measure_siblings(const Session& session, Device& device, Heartbeat& heartbeat,
                                const SiblingLimits& limits);

}  // namespace bellwether
