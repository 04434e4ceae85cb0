// SPDX-License-Identifier: MIT
// In place of the mini-app where hypre was not found.
#include "miniapps/amg/amg_case.hpp"
#include "models/errors.hpp"

namespace bellwether {

std::vector<CasePlan> amg_plans(const AmgOptions&) {
  throw BadEnvironment("run amg: this build has no BoomerAMG (" BELLWETHER_WITHOUT_HYPRE
                       "; Debian has it as libhypre-dev)");
}

}  // namespace bellwether
