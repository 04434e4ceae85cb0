// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/acceptance/judge.hpp"
#include "results/fleet/plan.hpp"

namespace bellwether {

/// What came back of a job.
struct FleetResult {
  /// "done", "never started", "still running", "hangs", "no result"
  std::string state = "never started";
  std::string why;    ///< of what is not done, for people
  std::string setup;  ///< ranks, device and program: only what is alike there is compared
  std::vector<Finding> wrong;
  /// log seconds on each occasion by quantity: a node's for its work, of a pair "link latency" and
  /// "link bandwidth".
  std::map<std::string, std::vector<double>> log_s;
};

/// Reads DIR/jobs/NAME: the marks NAME.started ("MADE SECONDS", since 1970) and NAME.ended ("STATUS
/// SECONDS"), and the acceptance's files. It hangs where its limit passed without a verdict, by the
/// end that the batch system made or by `now_s`. What cannot be read is no result, and why. Throws
/// BadInput for the mark of another plan.
FleetResult read_fleet_result(const FleetPlan& plan, const FleetJob& job, const std::string& folder,
                              double now_s);

/// One verdict of what came back, `results` in the order of the plan's jobs. Nodes are siblings in
/// all that was measured on them alone, leaf switches and nodes in their links; links are siblings
/// in what the nodes leave: log t = distance + node + node + link, by medians, for nodes of three
/// pairs and more. Distance: whether both are on one leaf switch, by `leaves` of nodes, which may
/// be empty. The rules' rate of false alarms is shared by all of it.
Acceptance judge_fleet(const FleetPlan& plan, const std::vector<FleetResult>& results,
                       const Rules& rules, const std::map<std::string, std::string>& leaves);

/// Its verdict_text, and a table of how many nodes and links are in which state.
std::string fleet_text(const Acceptance& fleet, const std::string& folder);

}  // namespace bellwether
