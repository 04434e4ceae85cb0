// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/registry.hpp"

namespace bellwether {

std::unique_ptr<MiniAppEntry> make_diffusion_entry();

}  // namespace bellwether
