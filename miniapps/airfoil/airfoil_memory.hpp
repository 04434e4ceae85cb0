// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Collective. Throws BadEnvironment on all ranks, before anything is allocated, where a node's
/// memory does not suffice for its ranks' share of so many bytes of a mesh.
void require_mesh_memory(const Session& session, double bytes);

}  // namespace bellwether
