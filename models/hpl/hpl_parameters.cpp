// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_parameters.hpp"

#include "models/quantity_json.hpp"

namespace bellwether {

HplParameters parse_hpl(const JsonNode& node) {
  JsonObject object(node);
  object.finish();
  return {};
}

nlohmann::json to_json(const HplParameters&) { return nlohmann::json::object(); }

}  // namespace bellwether
