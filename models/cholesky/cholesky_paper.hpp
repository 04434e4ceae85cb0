// SPDX-License-Identifier: MIT
#pragma once

#include "models/cholesky/derived_start_up.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// The column Cholesky factorization as Orii's program does it, Eq. 7 to 13, one processor by Eq.
/// 11. Terms, in seconds of the whole factorization: compute.serial (do 30, the scaling of
/// columns), compute.parallel (do 20, the updates), startup (all t_s0 and t_p0), network (the
/// summation). The program does not overlap: with `overlap` the same times and a note. A machine
/// without a start_up section is taken as start_up_of says.
Prediction predict_cholesky_paper(const Machine& machine, const CholeskyRun& run);

}  // namespace bellwether
