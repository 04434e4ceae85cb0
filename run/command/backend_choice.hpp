// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// The device of --backend for this process. Throws BadInput for a name that is no backend, and
/// BadEnvironment for one that cannot be used here.
std::unique_ptr<Device> open_device(const std::string& backend, int local_rank);

}  // namespace bellwether
