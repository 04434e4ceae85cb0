// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "miniapps/driver/app.hpp"

namespace bellwether {

/// A factorization, and how it is done.
struct CholeskyProblem {
  long size = 0;                  ///< n, of the n x n matrix
  std::string precision = "f64";  ///< or "f32"
  double shift = 0;               ///< subtracted from every element of the diagonal
  int block = 1;                  ///< columns dealt out, factored and sent at once; 0: the fastest
  bool look_ahead = false;

  /// What stands on the diagonal: sqrt(n) less the shift. The eigenvalues go from about 0.42 to
  /// 1.58 sqrt(n) then, less the shift.
  [[nodiscard]] double diagonal() const;
};

/// {"size": …, "precision": …}, with "shift" where it is not 0; {"overlap": "on", "block": …}.
nlohmann::json problem_of(const CholeskyProblem& problem);
nlohmann::json variant_of(const CholeskyProblem& problem);

/// The problem with a block for a block of 0: the one that the refined form predicts fastest on the
/// site's machine, and without one what with_block (models/cholesky) names.
CholeskyProblem with_block(const CholeskyProblem& problem, const CaseSite& site);

/// n^3/3 flops. By columns each of the (n^3 - n)/6 updates reads a value of the matrix and writes
/// it, in place; by blocks the matrix product is the limit.
StepWork cholesky_work(const CholeskyProblem& problem);

/// Collective. Throws BadEnvironment, before anything large is allocated, where the memory does not
/// suffice, or where blocks have no library for their products.
std::unique_ptr<Case> make_cholesky_case(const CaseSite& site, const CholeskyProblem& problem);

}  // namespace bellwether
