// SPDX-License-Identifier: MIT
// Of a program without hypre.
#include <stdexcept>

#include "microbench/amg/amg.hpp"

namespace bellwether {

bool has_amg_matrices() { return false; }

std::unique_ptr<AmgMatrix> make_amg_matrix(const AmgSpec& spec) {
  throw std::logic_error(spec.name() + ": built without hypre");
}

int amg_threads() { return 1; }

}  // namespace bellwether
