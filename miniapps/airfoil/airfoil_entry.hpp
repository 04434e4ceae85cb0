// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/registry.hpp"

namespace bellwether {

std::unique_ptr<MiniAppEntry> make_airfoil_entry();

}  // namespace bellwether
