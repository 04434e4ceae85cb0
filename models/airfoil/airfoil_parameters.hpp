// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "models/quantity.hpp"
#include "models/strict_json.hpp"

namespace bellwether {

/// What the Airfoil models need of a machine beyond its links: what each loop costs.
struct AirfoilParameters {};

AirfoilParameters parse_airfoil(const JsonNode& node);
nlohmann::json to_json(const AirfoilParameters& parameters);

}  // namespace bellwether
