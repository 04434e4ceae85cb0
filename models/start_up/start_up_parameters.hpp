// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "models/quantity.hpp"
#include "models/strict_json.hpp"

namespace bellwether {

/// What the efficiency and start-up model needs of a machine.
struct StartUpParameters {};

StartUpParameters parse_start_up(const JsonNode& node);
nlohmann::json to_json(const StartUpParameters& parameters);

}  // namespace bellwether
