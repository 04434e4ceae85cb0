// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_variant.hpp"

#include <nlohmann/json.hpp>

#include "miniapps/driver/options.hpp"
#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {

std::vector<std::string> panel_names() { return {"host", "device", "cusolver"}; }

std::string panel_chosen(const std::string& asked, bool on_host, int grid_rows) {
  if (asked.empty()) return !on_host && grid_rows == 1 ? "device" : "host";
  if (asked == "host" || (!on_host && (grid_rows == 1 || asked == "device"))) return asked;
  throw BadInput("--panel: found " + asked +
                 (on_host ? ", expected host: the matrix lies in the host's memory, so that there "
                            "is no device to factor (--backend cuda has one)"
                          : " on a grid of " + std::to_string(grid_rows) +
                                " rows of processes, expected device or host there, or --grid "
                                "1xQ"));
}

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
  if (!variant.panel.empty()) object["panel"] = variant.panel;
  return object;
}

}  // namespace bellwether
