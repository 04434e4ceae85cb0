// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// One small job: a node alone, or two and their link.
struct FleetJob {
  std::string name;  ///< of its folder below jobs/
  std::vector<std::string> nodes;
};

/// Which jobs try a cluster's nodes and links: plan.json, schema bellwether.fleet/1
/// (fleet.schema.json).
struct FleetPlan {
  std::string made;       ///< when: what a job marks its results with
  std::string scheduler;  ///< "slurm", "pbs", "lsf", "flux"
  std::string suite;      ///< of a node alone: its name
  int limit_s = 0;        ///< of each job
  int rounds = 0;  ///< of pairs; in each every node is in one, of an odd number one is in none
  std::vector<std::string> nodes;
  std::vector<FleetJob> jobs;  ///< each node alone, in their order, then the pairs by rounds
};
nlohmann::json to_json(const FleetPlan& plan);
nlohmann::json fleet_json_schema();
/// Throws BadInput naming file and key for what does not fit the schema, and for a job of other
/// nodes than the plan's.
FleetPlan read_fleet_plan(const std::string& file);

/// The names of "node[001-010,12],login1", as Slurm writes lists of hosts, one bracket a name.
/// `place` names it in messages. Throws BadInput.
std::vector<std::string> expand_hosts(const std::string& text, const std::string& place);
/// A name or list of hosts a line; what follows # is a remark. Throws BadInput for fewer than two,
/// a node twice, and what cannot be the name of a host.
std::vector<std::string> read_node_names(const std::string& file);

/// The leaf switch of each node: of what `scontrol show topology` prints, or a topology.conf, the
/// switches that have nodes and no switches. Throws BadInput where there is none, or a node is on
/// two.
std::map<std::string, std::string> read_topology(const std::string& file);

}  // namespace bellwether
