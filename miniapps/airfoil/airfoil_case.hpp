// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/vtk_file.hpp"

namespace bellwether {

/// This rank's part of the mesh, and of every rank what the models take of it.
struct AirfoilParts {
  AirfoilLocal local;
  std::vector<AirfoilWorkload> workloads;
  std::optional<AirfoilBlocks> blocks;  ///< kept for a picture
  bool of_reference = false;            ///< whether the mesh is that of OP2's known rms
  std::uint64_t places = 0;             ///< of all nodes, hashed before they were dealt out
};

/// Collective. The problem's mesh, generated or read, checked and dealt out; `gathers`: with
/// surroundings. Throws BadInput for a mesh that cannot be computed on, and BadEnvironment.
std::shared_ptr<const AirfoilParts> deal_out_airfoil(const CaseSite& site,
                                                     const AirfoilProblem& problem, bool gathers);

/// Collective. A case of Airfoil on `parts`, which are made where null: another case of the problem
/// on this site may take them. Throws BadInput for a mesh that cannot be computed on, and
/// BadEnvironment, before anything large is allocated, where memory is short.
std::unique_ptr<Case> make_airfoil_case(const CaseSite& site, const AirfoilProblem& problem,
                                        const AirfoilVariant& variant,
                                        std::shared_ptr<const AirfoilParts>& parts);

}  // namespace bellwether
