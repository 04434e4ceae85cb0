// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/acceptance/finding.hpp"

namespace bellwether {

/// What difference matters to whoever accepts the machine: a difference beyond `warning`, as a
/// share, is warned of, one beyond `failure` fails; each on top of what chance explains.
struct Material {
  double warning = 0, failure = 0;
  std::string source;
};

/// One occasion on which the ranks were measured side by side, a line of siblings.jsonl, schema
/// bellwether.siblings/1: "hosts" and "nodes" of each rank; "ranks": by quantity each rank's
/// seconds for the same work; "links" between "members" (the lowest rank of each node, or with one
/// node every rank): "pairs" of [member, member, seconds of the smallest message, of one of
/// "bytes"]; "shared_cores": whether ranks were measured in turns; "clocks": "steady_s" and
/// "system_s" of each rank, read within "barrier_s" of one another.
inline constexpr const char* siblings_schema = "bellwether.siblings/1";

/// A torn last line is passed over; none for a file that is not there. Throws BadInput naming file
/// and line for any other that is no occasion, or of another number of ranks than the first.
std::vector<nlohmann::json> read_siblings(const std::string& file);

/// Every rank, node and link against its siblings, and of `records`, each an occasion of its app,
/// each rank's time in compute terms. `alpha`: the rate of false alarms of all groups together.
/// `baselines`: the same of earlier acceptances of the layout, perhaps none: of two members that
/// differ they tell which has changed. Groups without siblings are said, not judged.
std::vector<Finding> judge_siblings(const std::vector<nlohmann::json>& occasions,
                                    const std::vector<nlohmann::json>& records,
                                    const Material& material, double alpha,
                                    const std::vector<nlohmann::json>& baselines);

}  // namespace bellwether
