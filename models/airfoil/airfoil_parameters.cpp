// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_parameters.hpp"

#include <nlohmann/json.hpp>

#include "models/machine/quantity_json.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

std::vector<AirfoilLoopPoint> parse_points(const JsonNode& node) {
  std::vector<AirfoilLoopPoint> points;
  for (const JsonNode& item : node.items(1)) {
    JsonObject object(item);
    const JsonNode elements = object.required("elements");
    require_ascending(elements, "elements", points.empty(),
                      points.empty() ? 0 : points.back().elements, elements.positive_number());
    points.push_back({elements.positive_number(),
                      parse_quantity(object.required("seconds_per_element"), Range::nonnegative)});
    object.finish();
  }
  return points;
}

AirfoilLoopCurves parse_curves(const JsonNode& node) {
  JsonObject object(node);
  AirfoilLoopCurves curves;
  constexpr auto fused = static_cast<std::size_t>(AirfoilLoop::update_adt);
  for (std::size_t loop = 0; loop < fused; ++loop)
    curves[loop] = parse_points(object.required(airfoil_loop_names[loop]));
  if (const auto points = object.optional(airfoil_loop_names[fused]))
    curves[fused] = parse_points(*points);
  object.finish();
  return curves;
}

/// At least one launch, also at the interval's low end.
Quantity parse_colours(const JsonNode& node) {
  const Quantity colours = parse_quantity(node, Range::positive);
  if (colours.low < 1) node.refuse("1 or more colours");
  return colours;
}

nlohmann::json curves_json(const AirfoilLoopCurves& curves) {
  nlohmann::json object = nlohmann::json::object();
  for (std::size_t loop = 0; loop < curves.size(); ++loop)
    for (const AirfoilLoopPoint& point : curves[loop])
      object[airfoil_loop_names[loop]].push_back(
          {{"elements", point.elements},
           {"seconds_per_element", quantity_json(point.seconds_per_element)}});
  return object;
}

}  // namespace

AirfoilParameters parse_airfoil(const JsonNode& node) {
  JsonObject object(node);
  AirfoilParameters parameters;
  const JsonNode loops = object.required("loops");
  JsonObject by_precision(loops);
  for (const char* precision : {"f32", "f64"})
    if (const auto curves = by_precision.optional(precision))
      parameters.loops[precision] = parse_curves(*curves);
  by_precision.finish();
  if (parameters.loops.empty()) loops.refuse("the loops in \"f32\", \"f64\" or both");
  if (const auto ranks = object.optional("ranks_per_nic"))
    parameters.ranks_per_nic = ranks->count(1);
  if (const auto colours = object.optional("res_calc_colours"))
    parameters.res_calc_colours = parse_colours(*colours);
  if (const auto colours = object.optional("bres_calc_colours"))
    parameters.bres_calc_colours = parse_colours(*colours);
  object.finish();
  return parameters;
}

nlohmann::json to_json(const AirfoilParameters& parameters) {
  nlohmann::json object = {{"loops", nlohmann::json::object()}};
  for (const auto& [precision, curves] : parameters.loops)
    object["loops"][precision] = curves_json(curves);
  if (parameters.ranks_per_nic) object["ranks_per_nic"] = *parameters.ranks_per_nic;
  if (parameters.res_calc_colours)
    object["res_calc_colours"] = quantity_json(*parameters.res_calc_colours);
  if (parameters.bres_calc_colours)
    object["bres_calc_colours"] = quantity_json(*parameters.bres_calc_colours);
  return object;
}

}  // namespace bellwether
