// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/driver/app.hpp"
#include "miniapps/hpl/hpl_variant.hpp"
#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// A case of HPL on the first P x Q ranks; the others have no part in it. Collective; the problem
/// is valid and its grid no larger than the session. Throws BadEnvironment, before anything large
/// is allocated, where the memory does not suffice.
std::unique_ptr<Case> make_hpl_case(const CaseSite& site, const HplProblem& problem,
                                    const HplVariant& variant);

}  // namespace bellwether
