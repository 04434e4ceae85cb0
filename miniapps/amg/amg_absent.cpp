// SPDX-License-Identifier: MIT
// In place of all that calls hypre where that was not found.
#include <stdexcept>

#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/matrices/operation_matrix.hpp"
#include "models/errors.hpp"

namespace bellwether {

std::vector<CasePlan> amg_plans(const AmgOptions&) {
  throw BadEnvironment("run amg: this build has no BoomerAMG (" BELLWETHER_WITHOUT_HYPRE
                       "; Debian has it as libhypre-dev)");
}

bool has_amg_matrices(const Device&) { return false; }

std::unique_ptr<AmgMatrix> make_amg_matrix(MPI_Comm, const AmgShape&, Device&) {
  throw std::logic_error("AMG's operations: built without hypre");
}

int amg_threads() { return 1; }

}  // namespace bellwether
