// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_parameters.hpp"

#include "models/quantity_json.hpp"

namespace bellwether {

AirfoilParameters parse_airfoil(const JsonNode& node) {
  JsonObject object(node);
  object.finish();
  return {};
}

nlohmann::json to_json(const AirfoilParameters&) { return nlohmann::json::object(); }

}  // namespace bellwether
