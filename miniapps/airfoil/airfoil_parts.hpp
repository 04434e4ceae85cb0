// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// This rank's part of the mesh, and of every rank what the models take of it.
struct AirfoilParts {
  AirfoilLocal local;
  std::vector<AirfoilWorkload> workloads;
  std::optional<AirfoilBlocks> blocks;  ///< kept for a picture
  bool of_reference = false;            ///< whether the mesh is that of OP2's known rms
};

/// Collective. The problem's mesh, generated or read, checked and dealt out. Throws BadInput for a
/// mesh that cannot be read or computed on, and BadEnvironment where its memory does not suffice.
/// `gathers`: with surroundings (add_surroundings).
AirfoilParts deal_out_airfoil(const Session& session, const AirfoilProblem& problem, bool gathers);

}  // namespace bellwether
