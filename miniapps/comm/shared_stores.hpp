// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Collective. With which stores a host's cores had better write what other ranks of their node
/// will read (Device::copy_shared): streaming ones where writing 64 KiB that another rank has read
/// before, and that rank's reading them, take less than four fifths of what they do with cached
/// ones, in the mean of ranks 1, 2, 4, ... apart. So it is where ranks have no cache in common, and
/// a line that another core has must be fetched from there to be written. Cached ones, without
/// measuring, on a GPU, of ranks alone on their nodes, and where ranks share cores.
Stores faster_shared_stores(const Session& session, const Device& device);

}  // namespace bellwether
