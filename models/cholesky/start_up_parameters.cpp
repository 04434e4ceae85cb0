// SPDX-License-Identifier: MIT
#include "models/cholesky/start_up_parameters.hpp"

#include <nlohmann/json.hpp>

#include "models/machine/quantity_json.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {
namespace {

EfficiencyAndStartUp parse_pair(const JsonNode& node) {
  JsonObject object(node);
  EfficiencyAndStartUp pair{parse_quantity(object.required("efficiency"), Range::positive),
                            parse_quantity(object.required("start_up_s"), Range::nonnegative)};
  object.finish();
  return pair;
}

nlohmann::json pair_json(const EfficiencyAndStartUp& pair) {
  return {{"efficiency", quantity_json(pair.efficiency)},
          {"start_up_s", quantity_json(pair.start_up_s)}};
}

std::array<int, 2> parse_range(const JsonNode& node, const char* what) {
  const std::vector<JsonNode> ends = node.items();
  if (ends.size() != 2) node.refuse("a pair [smallest, largest]");
  const std::array<int, 2> range{ends[0].count(1), ends[1].count(1)};
  require_ascending(ends[1], what, false, range[0], range[1]);
  return range;
}

}  // namespace

StartUpParameters parse_start_up(const JsonNode& node) {
  JsonObject object(node);
  StartUpParameters parameters;
  parameters.precision = object.required("precision").one_of({"f32", "f64"});
  if (const auto range = object.optional("fitted_sizes"))
    parameters.fitted_sizes = parse_range(*range, "a size");
  if (const auto range = object.optional("fitted_ranks"))
    parameters.fitted_ranks = parse_range(*range, "a count");
  parameters.peak_flops_per_s =
      parse_quantity(object.required("peak_flops_per_s"), Range::positive);
  parameters.peak_bytes_per_s =
      parse_quantity(object.required("peak_bytes_per_s"), Range::positive);
  parameters.update = parse_pair(object.required("update"));
  parameters.parallel_update = parse_pair(object.required("parallel_update"));
  parameters.scaling = parse_pair(object.required("scaling"));
  parameters.summation = object.required("summation").one_of({"crossbar", "tree"});
  parameters.transfer = parse_pair(object.required("transfer"));
  if (const auto adding = object.optional("adding")) parameters.adding = parse_pair(*adding);
  object.finish();
  return parameters;
}

nlohmann::json to_json(const StartUpParameters& parameters) {
  nlohmann::json object = {{"precision", parameters.precision},
                           {"peak_flops_per_s", quantity_json(parameters.peak_flops_per_s)},
                           {"peak_bytes_per_s", quantity_json(parameters.peak_bytes_per_s)},
                           {"update", pair_json(parameters.update)},
                           {"parallel_update", pair_json(parameters.parallel_update)},
                           {"scaling", pair_json(parameters.scaling)},
                           {"summation", parameters.summation},
                           {"transfer", pair_json(parameters.transfer)}};
  if (parameters.fitted_sizes) object["fitted_sizes"] = *parameters.fitted_sizes;
  if (parameters.fitted_ranks) object["fitted_ranks"] = *parameters.fitted_ranks;
  if (parameters.adding) object["adding"] = pair_json(*parameters.adding);
  return object;
}

}  // namespace bellwether
