// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "miniapps/amg/amg_options.hpp"
#include "miniapps/amg/matrices/amg_rows.hpp"
#include "miniapps/driver/app.hpp"

namespace bellwether {

/// A matrix to be solved with, and what is known of it beside its rows.
struct AmgSource {
  std::shared_ptr<const AmgRows> rows;
  std::string name;    ///< "laplace 7-point 40x40x40", or the file's
  std::string layout;  ///< how ranks own rows: "2x1x1", "rows"
  double own_entries;  ///< of this rank's rows, at most
  /// No eigenvalue is below it, of a symmetric positive definite matrix; 0: not known.
  double least_eigenvalue = 0;
};

/// Collective. A case of BoomerAMG on the matrix that the options describe, whose solution is
/// known. Throws BadInput, and BadEnvironment before anything large is allocated.
std::unique_ptr<Case> make_amg_case(const CaseSite& site, const AmgOptions& options, bool overlap,
                                    AmgSource matrix);

/// The matrix of the options' stencil for this rank. Throws BadInput as StencilRows does.
AmgSource stencil_matrix(const AmgOptions& options, int rank, int ranks);

/// What stands in the record, as far as it is known before a run.
nlohmann::json amg_problem(const AmgOptions& options);
nlohmann::json amg_variant(const AmgOptions& options, bool overlap);

/// What the options ask for, in the order in which it runs. Where the suite was built without
/// hypre: throws BadEnvironment that says why.
std::vector<CasePlan> amg_plans(const AmgOptions& options);

}  // namespace bellwether
