// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cholesky/column_costs.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// The paper's form and the refined one of a run, in this order. Throws BadInput where ranks have
/// no link to each other.
std::vector<Prediction> predict_cholesky(const Machine& machine, const CholeskyRun& run);

/// As scaling_curve, of an n x n matrix whose columns are dealt out `block` at once.
std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request, int block = 1);

/// Factorizations of a run whose ranks and overlap are those of the point, the prediction of the
/// same; each column, or block of them, goes down the mini-app's tree. The machine must outlive it.
std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point);

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
