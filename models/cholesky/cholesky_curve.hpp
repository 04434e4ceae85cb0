// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// The paper's form and the refined one of a run, in this order. Throws BadInput where ranks have
/// no link to each other.
std::vector<Prediction> predict_cholesky(const Machine& machine, const CholeskyRun& run);

/// B where no machine file says which is fastest, on a host and on a GPU.
inline constexpr int host_block_without_machine = 128, gpu_block_without_machine = 256;

/// The run with a block for a block of 0: of 32 to 512 columns, as far as the machine's blocks were
/// calibrated, the one that the refined form predicts fastest.
CholeskyRun with_block(const Machine& machine, CholeskyRun run);

/// As scaling_curve, of an n x n matrix whose columns are dealt out `block` at once; 0: the fastest
/// at each point.
std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request, int block = 1);

/// Factorizations of a run whose ranks and overlap are those of the point, the prediction of the
/// same; each column, or block of them, goes down the mini-app's tree. The machine must outlive it.
std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point);

}  // namespace bellwether
