// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <map>
#include <string>

#include "models/machine/json_type.hpp"

namespace bellwether {

/// What the models add to a machine's document, by the name of the section.
const std::map<std::string, JsonType<std::any>>& machine_sections();

}  // namespace bellwether
