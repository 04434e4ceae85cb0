// SPDX-License-Identifier: MIT
#include "models/power/power_parameters.hpp"

#include "models/machine/json_type.hpp"

namespace bellwether {

JsonType<PowerParameters> power_parameters_type() {
  using Power = PowerParameters;
  const JsonType<Quantity> watts = json_quantity(Range::positive);
  return named("power",
               "Watts of a node, its CPU packages, memory and GPUs as far as they are counted, "
               "while all its ranks copy memory or multiply matrices.",
               json_object<Power>({optional("source", &Power::source, json_text()),
                                   optional("memory_w", &Power::memory_w, watts),
                                   optional("matrix_product_w", &Power::matrix_product_w, watts)}));
}

std::optional<double> step_joules(const Machine& machine, WorkLimit limit, int ranks,
                                  int ranks_per_node, double step_s) {
  const auto* const power = section<PowerParameters>(machine);
  if (power == nullptr || limit == WorkLimit::none) return {};
  if (ranks_per_node != machine.layout.ranks_per_node || ranks % ranks_per_node != 0) return {};
  const std::optional<Quantity>& watts =
      limit == WorkLimit::matrix_product ? power->matrix_product_w : power->memory_w;
  if (!watts) return {};
  return watts->value * (ranks / ranks_per_node) * step_s;
}

std::string per_joule(const std::string& unit) { return unit.substr(0, unit.rfind('/')) + "/J"; }

}  // namespace bellwether
