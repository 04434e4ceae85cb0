// SPDX-License-Identifier: MIT
#include "models/cholesky/efficiency_model.hpp"

#include <limits>

namespace bellwether {

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
