// SPDX-License-Identifier: MIT
#include "models/start_up/start_up_parameters.hpp"

#include "models/quantity_json.hpp"

namespace bellwether {

StartUpParameters parse_start_up(const JsonNode& node) {
  JsonObject object(node);
  object.finish();
  return {};
}

nlohmann::json to_json(const StartUpParameters&) { return nlohmann::json::object(); }

}  // namespace bellwether
