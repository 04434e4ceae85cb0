// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_variant.hpp"

#include <nlohmann/json.hpp>

#include "miniapps/driver/options.hpp"
#include "models/text_lines.hpp"

namespace bellwether {

nlohmann::json to_json(const HplVariant& variant) {
  nlohmann::json object = {{"overlap", on_or_off(variant.look_ahead)},
                           {"bcast", variant.bcast},
                           {"swap", variant.swap},
                           {"threads", variant.threads}};
  if (variant.swap == "mix" && variant.swap_threshold != HplVariant().swap_threshold)
    object["swap_threshold"] = variant.swap_threshold;
  if (variant.device_share == "auto")
    object["device_share"] = "auto";
  else if (variant.is_split())
    object["device_share"] = *parse_number<double>(variant.device_share);
  return object;
}

}  // namespace bellwether
