// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "results/record.hpp"

namespace bellwether {

/// Lines of an AmgHierarchy's JSON: complexities, and of each level rows, entries and the messages
/// of a product; with `details` also of the interpolation and its transpose.
std::string amg_hierarchy_lines(const Record& record, bool details);

/// Lines of result.levels, finest first: each operation's compute and network seconds; an operation
/// that the level has not is absent. Nothing of a record that is not verified.
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
