// SPDX-License-Identifier: MIT
#include "models/cholesky/start_up_parameters.hpp"

#include "models/machine/json_type.hpp"

namespace bellwether {

JsonType<StartUpParameters> start_up_parameters_type() {
  using StartUp = StartUpParameters;
  const JsonType<Quantity> positive = json_quantity(Range::positive);
  const JsonType<EfficiencyAndStartUp> pair =
      named("efficiency_and_start_up",
            "The share of a peak that a kernel reaches, and its start-up time.",
            json_object<EfficiencyAndStartUp>(
                {required("efficiency", &EfficiencyAndStartUp::efficiency, positive),
                 required("start_up_s", &EfficiencyAndStartUp::start_up_s,
                          json_quantity(Range::nonnegative))}));
  return named(
      "start_up",
      "Efficiency and start-up model of the column Cholesky factorization (Orii, Tables 1 and 2); "
      "fitted ranges are [smallest, largest].",
      json_object<StartUp>(
          {required("precision", &StartUp::precision, json_word({"f32", "f64"})),
           optional("fitted_sizes", &StartUp::fitted_sizes, json_count_range("a size")),
           optional("fitted_ranks", &StartUp::fitted_ranks, json_count_range("a count")),
           required("peak_flops_per_s", &StartUp::peak_flops_per_s, positive),
           required("peak_bytes_per_s", &StartUp::peak_bytes_per_s, positive),
           required("update", &StartUp::update, pair),
           required("parallel_update", &StartUp::parallel_update, pair),
           required("scaling", &StartUp::scaling, pair),
           required("summation", &StartUp::summation, json_word({"crossbar", "tree"})),
           required("transfer", &StartUp::transfer, pair),
           optional("adding", &StartUp::adding, pair)}));
}

}  // namespace bellwether
