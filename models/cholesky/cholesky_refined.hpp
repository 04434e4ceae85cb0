// SPDX-License-Identifier: MIT
#pragma once

#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// The factorization as this suite divides it, ours: columns dealt out cyclically and stored once;
/// for each column its owner scales it and sends it to all ranks down a tree (over the nodes, then
/// within them), and every rank updates its own later columns with it. What all wait for is its way
/// to the next column's owner. The slowest rank's columns are counted exactly. With
/// overlap the next column is updated first and travels while the others are updated. Terms:
/// compute.scale (a rank's share of the columns), wait (the others' shares), network.broadcast,
/// compute.update; copy.to_host and copy.to_device are a GPU's copies of each column, which with
/// overlap count under network.broadcast. `costs` are the machine's, for the run's precision and
/// min(ranks, ranks_per_node). Throws BadInput where a link is missing.
Prediction predict_cholesky_refined(const Machine& machine, const CholeskyRun& run,
                                    const ColumnCosts& costs);

}  // namespace bellwether
