// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_parameters.hpp"

#include <algorithm>

#include "models/machine/json_type.hpp"

namespace bellwether {
namespace {

using Curve = std::vector<AirfoilLoopPoint>;

JsonType<Curve> loop_curve_type() {
  const JsonType<AirfoilLoopPoint> point = json_object<AirfoilLoopPoint>(
      {required("elements", &AirfoilLoopPoint::elements, json_positive()),
       required("seconds_per_element", &AirfoilLoopPoint::seconds_per_element,
                json_quantity(Range::nonnegative))});
  return named("airfoil_curve", "",
               json_ascending("elements", &AirfoilLoopPoint::elements, "elements", point, 1));
}

/// One curve of the array; of this suite's own loops there may be none.
JsonField<AirfoilLoopCurves> loop_field(std::size_t loop) {
  const JsonType<Curve> type = loop_curve_type();
  const std::string key = airfoil_loop_names[loop];
  const bool must = loop < static_cast<std::size_t>(AirfoilLoop::update_adt);
  return {key,
          must,
          [=, read = type.read](JsonObject& object, AirfoilLoopCurves& curves) {
            if (must) (void)object.required(key);  // says that it is missing
            if (const auto node = object.optional(key)) curves[loop] = read(*node);
          },
          [=, write = type.write](const AirfoilLoopCurves& curves, nlohmann::json& object) {
            if (!curves[loop].empty()) object[key] = write(curves[loop]);
          },
          type.schema,
          type.definitions};
}

JsonType<AirfoilLoopCurves> curves_type() {
  JsonFields<AirfoilLoopCurves> fields;
  for (std::size_t loop = 0; loop < airfoil_loop_names.size(); ++loop)
    fields.push_back(loop_field(loop));
  return named("airfoil_loops",
               "Cells of save_soln, adt_calc, update, update_adt (an update and the adt_calc "
               "after it in one pass; where absent, both), stage (a gather of fluxes and "
               "update_adt in one) and tiled_stage (res_calc, bres_calc and update_adt tile by "
               "tile), edges of res_calc, boundary edges of bres_calc.",
               json_object(fields));
}

/// At least one launch, also at the interval's low end.
JsonType<Quantity> colours_type() {
  const nlohmann::json one = {{"minimum", 1}};
  return named("airfoil_colours", "",
               restricted(
                   json_quantity(Range::positive),
                   {{"properties", {{"value", one}, {"low", one}, {"high", one}}}},
                   [](const Quantity& colours) { return colours.low >= 1; }, "1 or more colours"));
}

}  // namespace

int airfoil_ranks_per_nic(const Machine& machine, int on_node) {
  const auto* known = section<AirfoilParameters>(machine);
  return known && known->ranks_per_nic ? std::min(*known->ranks_per_nic, on_node) : on_node;
}

JsonType<AirfoilParameters> airfoil_parameters_type() {
  using Airfoil = AirfoilParameters;
  return named(
      "airfoil",
      "What each loop of an Airfoil iteration costs a rank (Mudalige et al.): seconds per element "
      "of a call over so many, ascending; on a GPU without launches, of which a loop has one per "
      "colour.",
      json_object<Airfoil>(
          {required("loops", &Airfoil::loops,
                    json_keyed({"f32", "f64"}, curves_type(), 1,
                               "the loops in \"f32\", \"f64\" or both")),
           optional("increments", &Airfoil::increments, json_word({"plain", "colours", "atomics"})),
           optional("ranks_per_nic", &Airfoil::ranks_per_nic, json_count(1)),
           optional("res_calc_colours", &Airfoil::res_calc_colours, colours_type()),
           optional("bres_calc_colours", &Airfoil::bres_calc_colours, colours_type())}));
}

}  // namespace bellwether
