// SPDX-License-Identifier: MIT
#include "models/amg/amg_hierarchy.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

AmgOperator parse_operator(const JsonNode& node, double active, double unknowns) {
  JsonObject object(node);
  AmgOperator one;
  one.average_sends = object.required("average_sends").number();
  one.max_sends = object.required("max_sends").number(active - 1);
  one.max_elements = object.required("max_elements").number();
  one.nonzeros_per_row = object.required("nonzeros_per_row").positive_number();
  if (one.average_sends > one.max_sends)
    node.child("average_sends").refuse(fmt::format("at most max_sends, {}", one.max_sends));
  const auto known = [&object](const char* key, double highest) {
    const std::optional<JsonNode> value = object.optional(key);
    return value ? value->number(highest) : 0;
  };
  constexpr double any = std::numeric_limits<double>::max();
  one.busiest_rows = known("busiest_rows", unknowns);
  one.total_nonzeros = known("total_nonzeros", any);
  one.busiest_nonzeros =
      known("busiest_nonzeros", one.total_nonzeros > 0 ? one.total_nonzeros : any);
  one.offd_share = known("offd_share", 1);
  one.own_node_share = known("own_node_share", 1);
  object.finish();
  return one;
}

AmgLevel parse_level(const JsonNode& node, int processes, bool coarsest) {
  JsonObject object(node);
  AmgLevel level;
  level.unknowns = object.required("unknowns").positive_number();
  const JsonNode active = object.required("active_processes");
  level.active_processes = active.number(processes);
  if (level.active_processes < 1) active.refuse("at least 1");
  const auto read = [&level](const JsonNode& one) {
    return parse_operator(one, level.active_processes, level.unknowns);
  };
  level.solve = read(object.required("solve"));
  if (!coarsest) {
    level.interpolation = read(object.required("interpolation"));
    if (const auto restriction = object.optional("restriction"))
      level.restriction = read(*restriction);
  }
  object.finish();
  return level;
}

AmgHierarchy parse_hierarchy(const JsonNode& node) {
  JsonObject object(node);
  (void)object.optional("comment");
  AmgHierarchy hierarchy;
  hierarchy.processes = object.required("processes").count(1);
  if (const auto ranks = object.optional("ranks_per_node"))
    hierarchy.ranks_per_node = ranks->count(1);
  const std::vector<JsonNode> levels = object.required("levels").items(1);
  for (const JsonNode& level : levels) {
    const bool coarsest = hierarchy.levels.size() + 1 == levels.size();
    AmgLevel next = parse_level(level, hierarchy.processes, coarsest);
    if (!hierarchy.levels.empty() && next.unknowns >= hierarchy.levels.back().unknowns)
      level.child("unknowns").refuse("fewer than on the finer level");
    hierarchy.levels.push_back(next);
  }
  object.finish();
  return hierarchy;
}

nlohmann::json operator_json(const AmgOperator& one) {
  nlohmann::json written = {{"average_sends", one.average_sends},
                            {"max_sends", one.max_sends},
                            {"max_elements", one.max_elements},
                            {"nonzeros_per_row", one.nonzeros_per_row}};
  const auto add = [&written](const char* key, double value) {
    if (value > 0) written[key] = value;
  };
  add("busiest_rows", one.busiest_rows);
  add("busiest_nonzeros", one.busiest_nonzeros);
  add("total_nonzeros", one.total_nonzeros);
  add("offd_share", one.offd_share);
  add("own_node_share", one.own_node_share);
  return written;
}

}  // namespace

std::string amg_group(std::size_t level, std::size_t levels) {
  if (level == 0) return "finest";
  if (level + 1 == levels) return "coarsest";
  return level <= 2 ? "next" : "middle";
}

double amg_bytes(const AmgHierarchy& hierarchy) {
  constexpr double entry = 8 + 4, row = 4, vectors = 3 * 8;
  double bytes = 0;
  for (const AmgLevel& level : hierarchy.levels)
    bytes += level.unknowns *
             (entry * (level.solve.nonzeros_per_row + level.interpolation.nonzeros_per_row) +
              2 * row + vectors);
  return bytes;
}

std::vector<AmgHierarchy> parse_hierarchies(const nlohmann::json& document,
                                            const std::string& file) {
  JsonObject object(JsonNode(document, file));
  std::vector<AmgHierarchy> all;
  for (const JsonNode& item : object.required("hierarchies").items(1))
    all.push_back(parse_hierarchy(item));
  return all;
}

std::vector<AmgHierarchy> published_hierarchies() {
  const EmbeddedFile& file = hierarchy_files().front();
  return parse_hierarchies(parse_json(file.text, file.name), file.name);
}

nlohmann::json to_json(const std::vector<AmgHierarchy>& hierarchies) {
  nlohmann::json all = nlohmann::json::array();
  for (const AmgHierarchy& hierarchy : hierarchies) {
    nlohmann::json levels = nlohmann::json::array();
    for (const AmgLevel& level : hierarchy.levels) {
      levels.push_back({{"unknowns", level.unknowns},
                        {"active_processes", level.active_processes},
                        {"solve", operator_json(level.solve)}});
      if (levels.size() == hierarchy.levels.size()) continue;
      levels.back()["interpolation"] = operator_json(level.interpolation);
      if (level.restriction) levels.back()["restriction"] = operator_json(*level.restriction);
    }
    all.push_back({{"processes", hierarchy.processes}, {"levels", levels}});
    if (hierarchy.ranks_per_node > 0) all.back()["ranks_per_node"] = hierarchy.ranks_per_node;
  }
  return {{"hierarchies", all}};
}

}  // namespace bellwether
