// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Collective. Throws BadEnvironment on every rank, before anything is allocated, when the memory
/// that a device's ranks need is not there: a host's memory is shared by the ranks of its node, a
/// GPU's by those of them that use it. The message says how many bytes `what` needs and how many
/// there are.
void require_device_memory(const Session& session, const Device& device, std::size_t bytes,
                           const char* what);

}  // namespace bellwether
