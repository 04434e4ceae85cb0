// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "models/quantity.hpp"
#include "models/strict_json.hpp"

namespace bellwether {

/// What the AMG models need of a machine beyond its links.
struct AmgParameters {};

AmgParameters parse_amg(const JsonNode& node);
nlohmann::json to_json(const AmgParameters& parameters);

}  // namespace bellwether
