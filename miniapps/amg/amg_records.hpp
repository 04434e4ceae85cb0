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

/// Reads a list "hierarchies", or those of a results file's verified records, once for each ranks
/// and unknowns. Throws BadInput where records differ in what shapes a hierarchy.
KnownHierarchies read_hierarchies(const std::string& file);

}  // namespace bellwether
