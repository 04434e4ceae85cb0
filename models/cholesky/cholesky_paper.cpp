// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_paper.hpp"

#include <cmath>
#include <limits>

#include "models/scaling/rank_prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

OneProcessor at_bound(const EfficiencyAndStartUp& pair, const Quantity& peak, Bound bound) {
  return {.start_up_s = cost_at(pair.start_up_s, bound),
          .peak_per_s = rate_at(peak, bound),
          .efficiency = rate_at(pair.efficiency, bound)};
}

double tree_stages(double processors) {
  return std::ceil(std::log2(processors));  // log2 is exact at powers of two
}

}  // namespace

ColumnCholesky column_cholesky(const StartUpParameters& parameters, double value_bytes,
                               Bound bound) {
  ColumnCholesky model;
  model.update = at_bound(parameters.update, parameters.peak_flops_per_s, bound);
  model.parallel_update = {
      .start_up_s = cost_at(parameters.parallel_update.start_up_s, bound),
      .efficiency = rate_at(parameters.parallel_update.efficiency, bound),
      .overhead_s = 0};  // the paper's only overhead is the summation, a term of its own
  model.scaling = at_bound(parameters.scaling, parameters.peak_flops_per_s, bound);
  model.summation = parameters.summation == "crossbar" ? Summation::crossbar : Summation::tree;
  model.transfer = at_bound(parameters.transfer, parameters.peak_bytes_per_s, bound);
  if (parameters.adding)
    model.adding = at_bound(*parameters.adding, parameters.peak_flops_per_s, bound);
  model.value_bytes = value_bytes;
  return model;
}

UpdateTime update_time(const ColumnCholesky& model, double size) {
  return {.arithmetic_s = size * (size * size - 1) / 3 / model.update.rate_per_s(),
          .start_up_s = size * (size - 1) / 2 * model.update.start_up_s};
}

UpdateTime update_time(const ColumnCholesky& model, double size, double processors) {
  const UpdateTime one = update_time(model, size);
  const ManyProcessors shared_out{.efficiency = model.parallel_update.efficiency};
  return {
      .arithmetic_s = many_processors_time(shared_out, one.arithmetic_s, processors),
      .start_up_s = many_processors_time(shared_out, one.start_up_s, processors) +
                    size * (model.parallel_update.start_up_s + model.parallel_update.overhead_s)};
}

UpdateTime scaling_time(const ColumnCholesky& model, double size) {
  return {.arithmetic_s = (size * size + size) / model.scaling.rate_per_s(),
          .start_up_s = size * model.scaling.start_up_s};
}

double summation_time(const ColumnCholesky& model, double size, double processors) {
  if (model.summation == Summation::crossbar) {
    const double bytes = (processors - 1) / processors * model.value_bytes * size / processors;
    return 2 * one_processor_time(model.transfer, bytes) * processors * size;
  }
  const double values = size * tree_stages(processors);
  const double adding = model.adding ? one_processor_time(*model.adding, values) : 0;
  return size * (2 * one_processor_time(model.transfer, model.value_bytes * values) + adding);
}

std::array<KernelTotal, 2> cholesky_kernels(const ColumnCholesky& model, double size,
                                            double processors) {
  const double one = update_time(model, size).total();
  const double many = processors > 1 ? update_time(model, size, processors).total() : one;
  return {{{one, many}, {scaling_time(model, size).total(), {}}}};
}

CholeskySpeedUp cholesky_speed_up(const ColumnCholesky& model, double size, double processors) {
  const std::array<KernelTotal, 2> kernels = cholesky_kernels(model, size, processors);
  const double one = one_processor_total(kernels);
  const double many = many_processors_total(kernels);
  const double summation = processors > 1 ? summation_time(model, size, processors) : 0;
  return {.update = kernels[0].one_processor_s / *kernels[0].many_processors_s,
          .without_summation = one / many,
          .whole = one / (many + summation)};
}

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
    result.terms.add("compute.scale", scaling.arithmetic_s);
    result.terms.add("compute.update", update.arithmetic_s);
    result.terms.add("startup", update.start_up_s + scaling.start_up_s);
    if (parallel) {
      result.communication_s = summation_time(model, run.size, run.ranks);
      result.hiding_s = update.arithmetic_s;
      result.terms.add("network.broadcast", result.communication_s);
    }
    result.notes = notes;
    return result;
  };
  return predict_with_bounds("paper", step);
}

double one_processor_time(const OneProcessor& kernel, double work) {
  return kernel.start_up_s + work / kernel.rate_per_s();
}

double many_processors_time(const ManyProcessors& kernel, double one_processor_s,
                            double processors) {
  return kernel.start_up_s + one_processor_s / (processors * kernel.efficiency) + kernel.overhead_s;
}

double many_processors_total(std::span<const KernelTotal> kernels) {
  double sum = 0;
  for (const KernelTotal& kernel : kernels)
    sum += kernel.many_processors_s.value_or(kernel.one_processor_s);
  return sum;
}

double one_processor_total(std::span<const KernelTotal> kernels) {
  double sum = 0;
  for (const KernelTotal& kernel : kernels) sum += kernel.one_processor_s;
  return sum;
}

double parallel_fraction(std::span<const KernelTotal> kernels) {
  double parallel = 0;
  for (const KernelTotal& kernel : kernels)
    if (kernel.many_processors_s) parallel += kernel.one_processor_s;
  const double total = one_processor_total(kernels);
  return total > 0 ? parallel / total : 0;
}

double speed_up_bound(double parallel_fraction) {
  if (parallel_fraction >= 1) return std::numeric_limits<double>::infinity();
  return 1 / (1 - parallel_fraction);
}

}  // namespace bellwether
