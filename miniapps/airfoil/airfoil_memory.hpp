// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Collective. Throws BadEnvironment on all ranks, before anything is allocated, where a node's
/// memory does not suffice to make and deal out a mesh of so many cells.
void require_mesh_memory(const Session& session, std::int64_t cells);

}  // namespace bellwether
