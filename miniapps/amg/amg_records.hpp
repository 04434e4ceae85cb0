// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/amg/amg_hierarchy.hpp"
#include "models/amg/amg_run.hpp"

namespace bellwether {

/// Hierarchies of one problem and one set of AMG options, and what else a run's cycles did.
struct KnownHierarchies {
  std::vector<AmgHierarchy> all;      ///< at least one
  std::optional<AmgVariant> variant;  ///< of a results file's first record
};

/// Reads a file with a list "hierarchies", or a results file: of every verified record of amg the
/// hierarchy, once for each number of ranks and unknowns. Throws BadInput with file, line or key
/// for what is neither, where no record will do, and where records differ in what shapes a
/// hierarchy: problem, stencil, matrix, coarsening, interpolation, its entries and aggressive
/// levels.
KnownHierarchies read_hierarchies(const std::string& file);

}  // namespace bellwether
