// SPDX-License-Identifier: MIT
// Of a program without hypre.
#include <stdexcept>

#include "miniapps/amg/operation_matrix.hpp"

namespace bellwether {

bool has_amg_matrices() { return false; }

std::unique_ptr<AmgMatrix> make_amg_matrix(const AmgShape&) {
  throw std::logic_error("AMG's operations: built without hypre");
}

int amg_threads() { return 1; }

}  // namespace bellwether
