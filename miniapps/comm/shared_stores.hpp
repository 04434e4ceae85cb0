// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// Collective. With which stores a host's cores had better write what other ranks of their node
/// read: streaming ones where 64 KiB so take less than 4/5 of the time, in the mean over ranks.
Stores faster_shared_stores(const Session& session, const Device& device);

}  // namespace bellwether
