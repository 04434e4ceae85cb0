// SPDX-License-Identifier: MIT
#include "models/amg/amg_parameters.hpp"

#include "models/quantity_json.hpp"

namespace bellwether {

AmgParameters parse_amg(const JsonNode& node) {
  JsonObject object(node);
  object.finish();
  return {};
}

nlohmann::json to_json(const AmgParameters&) { return nlohmann::json::object(); }

}  // namespace bellwether
