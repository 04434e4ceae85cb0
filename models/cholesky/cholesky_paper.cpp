// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_paper.hpp"

#include "models/cholesky/column_cholesky.hpp"
#include "models/precision.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {

Prediction predict_cholesky_paper(const Machine& machine, const CholeskyRun& run) {
  std::vector<std::string> notes;
  const StartUpParameters parameters = start_up_of(machine, run, notes);
  const auto step = [&](Bound bound) {
    const ColumnCholesky model = column_cholesky(parameters, value_bytes(run.precision), bound);
    const bool parallel = run.ranks > 1;
    const UpdateTime update =
        parallel ? update_time(model, run.size, run.ranks) : update_time(model, run.size);
    const UpdateTime scaling = scaling_time(model, run.size);
    RankStep result;
    result.overlaps = false;  // a column's sums must be complete before it is scaled
    result.terms.add("compute.serial", scaling.arithmetic_s);
    result.terms.add("compute.parallel", update.arithmetic_s);
    result.terms.add("startup", update.start_up_s + scaling.start_up_s);
    if (parallel) {
      result.communication_s = summation_time(model, run.size, run.ranks);
      result.hiding_s = update.arithmetic_s;
      result.terms.add("network", result.communication_s);
    }
    result.notes = notes;
    return result;
  };
  return predict_with_bounds("paper", step);
}

}  // namespace bellwether
