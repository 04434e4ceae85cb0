// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "kernels/lbm/lbm.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "models/stencil/decomposition.hpp"
#include "models/stencil/rank_kind.hpp"

namespace bellwether {

/// What solid cells make of a rank's work, which has so many fluid cells and these links, of values
/// of so many bytes; each face across a direction stands for `areas` of them.
SolidWork solid_work(double fluid_cells, const std::vector<LbmLink>& links, double value_bytes,
                     const std::array<double, 3>& areas = {1, 1, 1});

/// The same of every rank, without one; nothing where all cells are fluid. Of more than a
/// million cells of a generated geometry a smaller picture is drawn, whose shares stand for it.
std::vector<SolidWork> solid_work(const LbmProblem& problem, const Decomposition& decomposition);
/// Of the whole domain, counted in the same way.
double fluid_cells(const LbmProblem& problem);

}  // namespace bellwether
