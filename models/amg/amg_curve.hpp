// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/amg_run.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Ranks of a node and threads of a rank.
struct AmgMix {
  int ranks_per_node;
  int threads_per_rank;
};

/// A scaling study of one problem. A rank count of the request says how many hardware threads the
/// cycle gets: as many ranks as an MPI-only run would have there, `ranks_per_node` of them on a
/// node.
struct AmgStudy {
  double unknowns = 0;             ///< of the whole problem
  std::optional<AmgMix> mix = {};  ///< absent: the fastest of all that the machine knows
  AmgVariant variant = {};
};

/// Every way to put so many hardware threads of a node to use: the machine's numbers of ranks and
/// threads, above one thread per core only with as many on each; some hardware threads may stay
/// idle. A machine of which none are published runs one thread per rank or, where it was
/// calibrated, as many as then and as its threads were measured with.
std::vector<AmgMix> amg_mixes(const Machine& machine, int threads_per_node);

/// Where the mix puts its ranks on so many hardware threads. Throws BadInput where one rank's
/// threads are more than there are.
AmgPlacement place_amg(const AmgMix& mix, int threads, int nodes);

/// Every rank count, overlap mode and form, in this nesting, in a run's terms. Where the mix is
/// searched for, all forms of a rank count and overlap mode stand with the mix that the last form
/// predicts fastest. Throws BadInput as predict_amg and AmgFamily do.
std::vector<ScalingPoint> amg_curve(const Machine& machine, const AmgFamily& family,
                                    const AmgStudy& study, const PredictionRequest& request);

/// Solve cycles, or with pcg its iterations; the request is of one count of hardware threads and
/// one overlap mode, and has as many ranks as the mix makes of them. Who sends to whom:
/// AmgNeighbours. The machine must outlive it.
std::unique_ptr<Trace> amg_trace(const Machine& machine, const AmgFamily& family,
                                 const AmgStudy& study, const PredictionRequest& request);

}  // namespace bellwether
