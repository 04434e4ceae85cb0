// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"

namespace bellwether {

/// Unknowns of a grid that BoomerAMG coarsens no further, and solves directly.
inline constexpr double amg_coarsest_unknowns = 9;

/// What processes send to multiply by one of a level's operators (Gahvari et al., Section IV.A)
/// and, where it was taken from a run, what the busiest of them multiplies. 0: not known, as
/// published.
struct AmgOperator {
  double average_sends = 0;  ///< messages of an active process
  double max_sends = 0;      ///< p_i: of the process that sends most
  double max_elements = 0;   ///< n_i: doubles sent by the process that sends most
  double nonzeros_per_row = 0;
  double busiest_rows = 0;      ///< most rows of a process
  double busiest_nonzeros = 0;  ///< most entries in a process's rows, whosever their columns
  double total_nonzeros = 0;    ///< entries of all processes
  double offd_share = 0;        ///< of all entries, those in columns of other processes
  double own_node_share = 0;    ///< of all doubles sent, those that stay within the sender's node
};

/// One grid level; extrapolated numbers need not be whole.
struct AmgLevel {
  double unknowns = 0;          ///< C_i
  double active_processes = 0;  ///< that own unknowns of this level
  AmgOperator solve;
  AmgOperator interpolation;  ///< from the next coarser level to this one; all 0 on the coarsest
  /// To the next coarser level, by the interpolation's transpose: it sends what that receives.
  /// Entries are the interpolation's, row by row. Absent: messages as of the interpolation.
  std::optional<AmgOperator> restriction = {};
};

/// The levels of a solve cycle, finest first: the AMG models' workload.
struct AmgHierarchy {
  int processes = 1;
  std::vector<AmgLevel> levels;
  int ranks_per_node =
      0;  ///< in the run it was taken from, to which own_node_share refers; 0: none
};

/// The group that a level's times are summed in, so that terms fit a table: "finest" (level 0),
/// "next" (1 and 2), "middle" and "coarsest" (the last). What is done with the interpolation from
/// level i + 1 to i and its transpose belongs to level i.
std::string amg_group(std::size_t level, std::size_t levels);

/// Memory that the hierarchy takes of all processes together: both operators' entries (a value of 8
/// bytes, a column of 4) and row starts, and three vectors on each level.
double amg_bytes(const AmgHierarchy& hierarchy);

/// The list under the key "hierarchies" of a document; its other keys, such as a paper's results,
/// are left alone. Throws BadInput naming `file` and key for what is missing, unknown, out of range
/// (unknowns must fall from level to level, processes must not exceed the hierarchy's) or empty.
std::vector<AmgHierarchy> parse_hierarchies(const nlohmann::json& document,
                                            const std::string& file);

/// Those that Gahvari et al. published (Table VIII): BoomerAMG on a 7-point Laplacian.
std::vector<AmgHierarchy> published_hierarchies();

/// The file that holds them.
std::span<const EmbeddedFile> hierarchy_files();

/// {"hierarchies": [...]}, which parse_hierarchies reads back.
nlohmann::json to_json(const std::vector<AmgHierarchy>& hierarchies);

}  // namespace bellwether
