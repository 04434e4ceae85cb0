// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/airfoil/airfoil_problem.hpp"
#include "miniapps/driver/app.hpp"

namespace bellwether {

/// A case of Airfoil. Collective; the problem is valid. Throws BadInput where the mesh cannot be
/// read or computed on, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. The heartbeat beats where
/// the case works outside of steps.
std::unique_ptr<Case> make_airfoil_case(const CaseSite& site, const AirfoilProblem& problem,
                                        const AirfoilVariant& variant);

}  // namespace bellwether
