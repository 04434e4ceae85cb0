// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "models/quantity.hpp"
#include "models/strict_json.hpp"

namespace bellwether {

/// What the HPL models need of a node beyond its device and links.
struct HplParameters {};

HplParameters parse_hpl(const JsonNode& node);
nlohmann::json to_json(const HplParameters& parameters);

}  // namespace bellwether
