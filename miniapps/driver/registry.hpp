// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "miniapps/driver/app.hpp"

namespace bellwether {

/// All applications: mini-apps, and those that only the models know yet. A new one is a line in
/// registry.cpp.
std::vector<std::unique_ptr<App>> apps();

}  // namespace bellwether
