// SPDX-License-Identifier: MIT
#pragma once

#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/derived_start_up.hpp"
#include "models/prediction.hpp"
#include "models/scaling/scaling_point.hpp"

namespace bellwether {

/// The column Cholesky factorization as Orii's program does it, Eq. 7 to 13, one processor by Eq.
/// 11. Terms, in seconds of the whole factorization: compute.serial (do 30, the scaling of
/// columns), compute.parallel (do 20, the updates), startup (all t_s0 and t_p0), network (the
/// summation). The program does not overlap: with `overlap` the same times and a note. A machine
/// without a start_up section is taken as start_up_of says.
Prediction predict_cholesky_paper(const Machine& machine, const CholeskyRun& run);

/// The factorization as this suite divides it, ours: columns dealt out cyclically and stored once;
/// for each column its owner scales it and sends it to all ranks down a tree (over the nodes, then
/// within them; ceil(log2) stages each), and every rank updates its own later columns with it. The
/// slowest rank's columns are counted exactly. With overlap the next column is updated first and
/// travels while the others are updated. Terms as above; copy.to_host and copy.to_device are a
/// GPU's copies of each column, which with overlap count under network. `costs` are the machine's,
/// for the run's precision and min(ranks, ranks_per_node). Throws BadInput where a link is missing.
Prediction predict_cholesky_refined(const Machine& machine, const CholeskyRun& run,
                                    const ColumnCosts& costs);

/// Every rank count, overlap mode and form of the request. Throws BadInput for an unknown form.
std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request);

}  // namespace bellwether
