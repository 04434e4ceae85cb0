// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "results/record.hpp"

namespace bellwether {

/// The hierarchy of a record of amg, whole lines, from its result.hierarchy (an AmgHierarchy's
/// JSON): complexities, and of each level rows, entries and what is sent to multiply by its matrix.
/// With `details` also of the interpolation and its transpose. Messages are all that a product
/// takes, neighbours and bytes those of the rank that has most.
std::string amg_hierarchy_lines(const Record& record, bool details);

/// Where a step's time goes, from its result.levels: finest first, of each level an object of
/// operations ("relax", "residual", "restrict", "interpolate"; "coarse_solve"), each {"compute":
/// seconds, "network": seconds}; an operation that the level has not is absent. Nothing of a record
/// whose verification failed.
std::string amg_level_lines(const Record& record);

/// What the refined form expects of each level beside what was measured, from
/// result.levels_predicted and result.levels, which have one form. Nothing where either is not
/// known.
std::string amg_prediction_lines(const Record& record);

/// What overlap hides in this variant, a line; nothing of one rank.
std::string amg_overlap_line(const Record& record);

/// How the solve went: cycles (pcg: iterations), what was left of the residual, and the figure of
/// merit where the record has one. Nothing of a record whose verification failed.
std::string amg_solve_lines(const Record& record);

}  // namespace bellwether
