// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/driver/app.hpp"

namespace bellwether {

/// A case of 3-D diffusion. Collective; the problem is valid. Throws BadInput where the
/// decomposition does not fit and BadEnvironment, before anything large is allocated, where the
/// memory does not suffice. The heartbeat beats while memory is touched and stores are tried.
std::unique_ptr<Case> make_diffusion_case(const CaseSite& site, const DiffusionProblem& problem,
                                          const StencilRunVariant& variant);

}  // namespace bellwether
