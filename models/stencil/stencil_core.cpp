// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_core.hpp"

#include <cmath>

#include "models/machine/json_type.hpp"

namespace bellwether {

const StencilCore* StencilCores::of(const std::string& app, const std::string& precision) const {
  for (const StencilCore& core : kernels)
    if (core.app == app && core.precision == precision) return &core;
  return nullptr;
}

const StencilUpdate* StencilCores::update_of(const std::string& app,
                                             const std::string& precision) const {
  for (const StencilUpdate& update : updates)
    if (update.app == app && update.precision == precision) return &update;
  return nullptr;
}

void StencilCore::set_exposed(ComputeTime& time, double working_set_bytes, Bound bound) const {
  if (exposed.empty()) return;
  const auto read = [&](const auto& value) {
    return log_between(exposed, working_set_bytes, &ExposedShare::working_set_bytes, value);
  };
  time.scatter = read([](const ExposedShare& one) { return one.scatter; });
  time.exposed_share = read([&](const ExposedShare& one) { return cost_at(one.share, bound); });
}

double core_cells_per_s(const Machine& machine, const std::string& app,
                        const std::string& precision, int ranks_on_node) {
  const auto* const cores = section<StencilCores>(machine);
  const StencilCore* const core = cores != nullptr ? cores->of(app, precision) : nullptr;
  if (core == nullptr || !core->probed_cells_per_s) return 0;
  return machine.layout.ranks_per_node == ranks_on_node ? core->probed_cells_per_s->value : 0;
}

JsonType<StencilCores> stencil_cores_type() {
  using Core = StencilCore;
  const JsonType<std::vector<ExposedShare>> exposed = json_ascending(
      "working_set_bytes", &ExposedShare::working_set_bytes, "bytes",
      named(
          "exposed_share",
          "Of updates with such a working set: what they take beyond one of core and memory, as a "
          "share of it, where both take equally long. With m and c an update takes "
          "(m^p + c^p)^(1/p), where 2^(1/p) = 1 + of_equal. The scatter of updates about that is "
          "from moment to moment: the standard deviation of the logarithm of their ratio.",
          json_object<ExposedShare>(
              {required("working_set_bytes", &ExposedShare::working_set_bytes, json_positive()),
               required("of_equal", &ExposedShare::share, json_quantity(Range::fraction)),
               retired<ExposedShare>("memory_cell_s"), retired<ExposedShare>("less_if_slower"),
               optional("scatter", &ExposedShare::scatter, json_positive())})));
  const JsonType<Core> core =
      named("stencil_core", "What a core needs for an update whose data its own cache has.",
            json_object<Core>(
                {required("app", &Core::app, json_word({"diffusion", "lbm"})),
                 required("precision", &Core::precision, json_word({"f32", "f64"})),
                 required("cell_s", &Core::cell_s, json_quantity(Range::nonnegative)),
                 required("row_s", &Core::row_s, json_quantity(Range::nonnegative)),
                 required("broken_row_s", &Core::broken_row_s, json_quantity(Range::nonnegative)),
                 retired<Core>("link_line_s"), optional("exposed", &Core::exposed, exposed),
                 retired<Core>("end_cell_s"), retired<Core>("exposed_cached"),
                 retired<Core>("exposed_shifted"),
                 optional("probed_cells_per_s", &Core::probed_cells_per_s,
                          json_quantity(Range::positive))}));
  using Update = StencilUpdate;
  const JsonType<Update> update = named(
      "stencil_update", "What an update takes by what the memory curves have for it.",
      json_object<Update>({required("app", &Update::app, json_word({"diffusion", "lbm"})),
                           required("precision", &Update::precision, json_word({"f32", "f64"})),
                           required("times", &Update::times, json_quantity(Range::positive))}));
  return named(
      "stencils",
      "The stencils' updates by application and precision: in a CPU's caches (kernels), and "
      "on a GPU (updates).",
      json_object<StencilCores>(
          {optional("kernels", &StencilCores::kernels, json_list(core, 1)),
           optional("updates", &StencilCores::updates, json_list(update, 1))}));
}

}  // namespace bellwether
