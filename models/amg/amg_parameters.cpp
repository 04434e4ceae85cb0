// SPDX-License-Identifier: MIT
#include "models/amg/amg_parameters.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/machine/quantity_json.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

std::vector<AmgThreads> parse_threads(const JsonNode& node) {
  std::vector<AmgThreads> all;
  for (const JsonNode& item : node.items(1)) {
    JsonObject object(item);
    const JsonNode threads = object.required("threads");
    if (all.empty() && threads.count(1) != 1) threads.refuse("1, the first entry's");
    require_ascending(threads, "threads", all.empty(), all.empty() ? 0 : all.back().threads,
                      threads.count(1));
    all.push_back({threads.count(1),
                   parse_quantity(object.required("bandwidth_bytes_per_s"), Range::positive),
                   parse_quantity(object.required("fork_join_s"), Range::nonnegative)});
    object.finish();
  }
  return all;
}

std::vector<AmgCoreSharing> parse_core_sharing(const JsonNode& node) {
  std::vector<AmgCoreSharing> all;
  for (const JsonNode& item : node.items(1)) {
    JsonObject object(item);
    const JsonNode threads = object.required("threads_per_core");
    const int expected = static_cast<int>(all.size()) + 1;
    if (threads.count(1) != expected)
      threads.refuse(fmt::format("{}: 1, 2, 3 and so on", expected));
    all.push_back({expected, parse_quantity(object.required("penalty"), Range::positive)});
    object.finish();
  }
  return all;
}

}  // namespace

AmgParameters parse_amg(const JsonNode& node) {
  JsonObject object(node);
  AmgParameters amg;
  for (const JsonNode& item : object.required("flop_time_s").items(1))
    amg.flop_time_s.push_back(parse_quantity(item, Range::positive));
  amg.threads = parse_threads(object.required("threads"));
  amg.core_sharing = parse_core_sharing(object.required("core_sharing"));
  for (const JsonNode& item : object.required("ranks_per_node").items(1)) {
    const bool first = amg.ranks_per_node.empty();
    require_ascending(item, "ranks_per_node", first, first ? 0 : amg.ranks_per_node.back(),
                      item.count(1));
    amg.ranks_per_node.push_back(item.count(1));
  }
  object.finish();
  return amg;
}

nlohmann::json to_json(const AmgParameters& amg) {
  nlohmann::json flop_times = nlohmann::json::array();
  for (const Quantity& time : amg.flop_time_s) flop_times.push_back(quantity_json(time));
  nlohmann::json threads = nlohmann::json::array();
  for (const AmgThreads& one : amg.threads)
    threads.push_back({{"threads", one.threads},
                       {"bandwidth_bytes_per_s", quantity_json(one.bandwidth_bytes_per_s)},
                       {"fork_join_s", quantity_json(one.fork_join_s)}});
  nlohmann::json sharing = nlohmann::json::array();
  for (const AmgCoreSharing& one : amg.core_sharing)
    sharing.push_back(
        {{"threads_per_core", one.threads_per_core}, {"penalty", quantity_json(one.penalty)}});
  return {{"flop_time_s", flop_times},
          {"threads", threads},
          {"core_sharing", sharing},
          {"ranks_per_node", amg.ranks_per_node}};
}

}  // namespace bellwether
