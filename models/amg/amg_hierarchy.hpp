// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// What processes send to multiply by one of a level's operators (Gahvari et al., Section IV.A).
struct AmgOperator {
  double average_sends = 0;  ///< messages of an active process
  double max_sends = 0;      ///< p_i: of the process that sends most
  double max_elements = 0;   ///< n_i: doubles sent by the process that sends most
  double nonzeros_per_row = 0;
};

/// One grid level; extrapolated numbers need not be whole.
struct AmgLevel {
  double unknowns = 0;          ///< C_i
  double active_processes = 0;  ///< that own unknowns of this level
  AmgOperator solve;
  AmgOperator interpolation;  ///< from the next coarser level to this one; all 0 on the coarsest
};

/// The levels of a solve cycle, finest first: the AMG models' workload.
struct AmgHierarchy {
  int processes = 1;
  std::vector<AmgLevel> levels;
};

/// Memory that the hierarchy takes of all processes together: both operators' entries (a value of 8
/// bytes, a column of 4) and row starts, and three vectors on each level.
double amg_bytes(const AmgHierarchy& hierarchy);

/// The list under the key "hierarchies" of a document; its other keys, such as a paper's results,
/// are left alone. Throws BadInput naming `file` and key for what is missing, unknown, out of range
/// (unknowns must fall from level to level, processes must not exceed the hierarchy's) or empty.
std::vector<AmgHierarchy> parse_hierarchies(const nlohmann::json& document,
                                            const std::string& file);

/// {"hierarchies": [...]}, which parse_hierarchies reads back.
nlohmann::json to_json(const std::vector<AmgHierarchy>& hierarchies);

}  // namespace bellwether
