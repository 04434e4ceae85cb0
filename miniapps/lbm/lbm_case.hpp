// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/app.hpp"
#include "miniapps/lbm/lbm_problem.hpp"

namespace bellwether {

/// A case of lattice Boltzmann. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit or the geometry leaves no fluid, and BadEnvironment, before anything
/// large is allocated, where the memory does not suffice. The heartbeat beats
/// while the case is built.
std::unique_ptr<Case> make_lbm_case(const CaseSite& site, const LbmProblem& problem,
                                    const StencilRunVariant& variant);

}  // namespace bellwether
