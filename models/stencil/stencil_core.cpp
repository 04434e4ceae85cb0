// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_core.hpp"

#include "models/machine/json_type.hpp"

namespace bellwether {

const StencilCore* StencilCores::of(const std::string& app, const std::string& precision) const {
  for (const StencilCore& core : kernels)
    if (core.app == app && core.precision == precision) return &core;
  return nullptr;
}

JsonType<StencilCores> stencil_cores_type() {
  using Core = StencilCore;
  const JsonType<Core> core = named(
      "stencil_core", "What a core needs for an update where its data is at hand.",
      json_object<Core>(
          {required("app", &Core::app, json_word({"diffusion", "lbm"})),
           required("precision", &Core::precision, json_word({"f32", "f64"})),
           required("cell_s", &Core::cell_s, json_quantity(Range::nonnegative)),
           required("row_s", &Core::row_s, json_quantity(Range::nonnegative)),
           required("broken_row_s", &Core::broken_row_s, json_quantity(Range::nonnegative))}));
  return named(
      "stencils", "The stencils' updates in the caches, by application and precision.",
      json_object<StencilCores>({required("kernels", &StencilCores::kernels, json_list(core, 1))}));
}

}  // namespace bellwether
