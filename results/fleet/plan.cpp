// SPDX-License-Identifier: MIT
#include "results/fleet/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "models/errors.hpp"
#include "models/text_lines.hpp"
#include "results/record_json_types.hpp"

namespace bellwether {
namespace {

constexpr int most_of_a_range = 100'000;

const JsonType<FleetPlan>& fleet_plan_type() {
  static const JsonType<FleetPlan> type = json_object<FleetPlan>(
      {constant<FleetPlan>("schema", "bellwether.fleet/1"),
       required("made", &FleetPlan::made, json_text()),
       required("scheduler", &FleetPlan::scheduler, json_word({"slurm", "pbs", "lsf", "flux"})),
       required("suite", &FleetPlan::suite, json_text()),
       required("limit_s", &FleetPlan::limit_s, json_count(1)),
       required("rounds", &FleetPlan::rounds, json_count()),
       required("nodes", &FleetPlan::nodes, json_list(json_text(), 2)),
       required("jobs", &FleetPlan::jobs,
                json_list(json_object<FleetJob>(
                    {required("name", &FleetJob::name, json_text()),
                     required("nodes", &FleetJob::nodes, json_list(json_text(), 1))})))},
      [](const JsonNode& node, const FleetPlan& plan) {
        const std::set<std::string> known(plan.nodes.begin(), plan.nodes.end());
        std::set<std::string> alone;
        for (const FleetJob& job : plan.jobs) {
          if (job.nodes.size() == 1) alone.insert(job.nodes[0]);
          if (job.nodes.size() > 2 || job.name.find('/') != std::string::npos ||
              !std::all_of(job.nodes.begin(), job.nodes.end(),
                           [&](const std::string& name) { return known.contains(name); }))
            node.refuse("jobs of one or two of /nodes");
        }
        if (alone != known || known.size() != plan.nodes.size())
          node.refuse("each of /nodes once, and a job of it alone");
      });
  return type;
}

/// "001-010,12" between prefix and suffix.
void expand_range(const std::string& prefix, const std::string& ranges, const std::string& suffix,
                  const std::string& place, std::vector<std::string>& names) {
  for (const std::string& range : split(ranges, ',')) {
    const std::vector<std::string> ends = split(range, '-');
    const auto first = parse_number<int>(ends.front()), last = parse_number<int>(ends.back());
    if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first ||
        *last - *first >= most_of_a_range)
      throw BadInput(fmt::format("{}: found '{}', expected numbers and ranges as in node[001-010]",
                                 place, shown(range)));
    for (int number = *first; number <= *last; ++number)
      names.push_back(fmt::format("{}{:0{}}{}", prefix, number, ends.front().size(), suffix));
  }
}

}  // namespace

nlohmann::json to_json(const FleetPlan& plan) { return fleet_plan_type().write(plan); }

nlohmann::json fleet_json_schema() {
  return published_schema(
      fleet_plan_type(), "bellwether.fleet/1",
      "plan.json of `bellwether fleet plan`: each node alone, then pairs. The program refuses "
      "besides jobs of other nodes, and nodes without a job of their own.");
}

FleetPlan read_fleet_plan(const std::string& file) {
  return fleet_plan_type().read(JsonNode(read_json_file(file), file));
}

std::vector<std::string> expand_hosts(const std::string& text, const std::string& place) {
  // A name, perhaps with one bracket, up to a comma or the end.
  static const std::regex host(
      R"(([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[([0-9,-]+)\]([A-Za-z0-9._-]*))?(,|$))");
  std::vector<std::string> names;
  auto at = text.begin();
  for (std::smatch found; at != text.end(); at = found[0].second) {
    if (!std::regex_search(at, text.end(), found, host, std::regex_constants::match_continuous))
      throw BadInput(
          fmt::format("{}: found '{}', expected names of hosts as in node[001-010],login1", place,
                      shown(std::string(at, text.end()))));
    if (found[2].matched)
      expand_range(found[1], found[2], found[3], place, names);
    else
      names.push_back(found[1]);
  }
  return names;
}

std::vector<std::string> read_node_names(const std::string& file) {
  std::vector<std::string> names;
  std::set<std::string> known;
  LinesOfFile lines(file);
  while (lines.next()) {
    std::string text(lines.line().text.substr(0, lines.line().text.find('#')));
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return is_blank(c); }),
               text.end());
    const std::string place = fmt::format("{}, line {}", file, lines.line().number);
    for (const std::string& name : expand_hosts(text, place)) {
      if (!known.insert(name).second)
        throw BadInput(fmt::format("{}: found node {} again, expected each once", place, name));
      names.push_back(name);
    }
  }
  if (names.size() < 2)
    throw BadInput(
        fmt::format("{}: found {} nodes, expected two or more, one a line", file, names.size()));
  return names;
}

std::map<std::string, std::string> read_topology(const std::string& file) {
  static const std::regex name(R"((?:^|\s)SwitchName=(\S+))"), nodes(R"(\sNodes=(\S+))"),
      switches(R"(\sSwitches=\S+)");
  std::map<std::string, std::string> leaves;
  LinesOfFile lines(file);
  while (lines.next()) {
    const std::string line(lines.line().text.substr(0, lines.line().text.find('#')));
    std::smatch leaf, list;
    if (!std::regex_search(line, leaf, name) || std::regex_search(line, switches) ||
        !std::regex_search(line, list, nodes))
      continue;
    const std::string place = fmt::format("{}, line {}", file, lines.line().number);
    for (const std::string& node : expand_hosts(list[1], place))
      if (!leaves.emplace(node, leaf[1]).second)
        throw BadInput(
            fmt::format("{}: found node {} again, expected it on one leaf switch", place, node));
  }
  if (leaves.empty())
    throw BadInput(
        fmt::format("{}: found no leaf switch, expected lines with SwitchName= and "
                    "Nodes=, as `scontrol show topology` prints them",
                    file));
  return leaves;
}

}  // namespace bellwether
