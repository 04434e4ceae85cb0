// SPDX-License-Identifier: MIT
#include "results/record_json_types.hpp"

#include <cmath>
#include <limits>

namespace bellwether {

using nlohmann::json;

JsonType<double> real() {
  return {[](const JsonNode& node) {
            if (node.value().is_null()) return std::numeric_limits<double>::quiet_NaN();
            if (!node.value().is_number()) node.refuse("a number, or null");
            return node.value().get<double>();
          },
          [](double value) { return std::isfinite(value) ? json(value) : json(); },
          {{"type", {"number", "null"}}},
          {}};
}

JsonType<double> known() {
  JsonType<double> type = real();
  type.read = [](const JsonNode& node) { return node.value().is_null() ? 0 : node.number(); };
  type.schema["minimum"] = 0;
  type.write = [](double value) {
    return value > 0 && std::isfinite(value) ? json(value) : json();
  };
  return type;
}

JsonType<bool> flag() {
  return {[](const JsonNode& node) {
            if (!node.value().is_boolean()) node.refuse("true or false");
            return node.value().get<bool>();
          },
          [](bool value) { return json(value); },
          {{"type", "boolean"}},
          {}};
}

JsonType<std::optional<double>> perhaps() {
  return {[](const JsonNode& node) {
            return node.value().is_null() ? std::nullopt : std::optional(real().read(node));
          },
          [](const std::optional<double>& value) { return value ? real().write(*value) : json(); },
          real().schema,
          {}};
}

JsonType<std::string> text_or_null() {
  return {[](const JsonNode& node) { return node.value().is_null() ? std::string() : node.text(); },
          [](const std::string& value) { return value.empty() ? json() : json(value); },
          {{"type", {"string", "null"}}},
          {}};
}

namespace {

void nullify_non_finite(json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) value = nullptr;
  if (value.is_structured())
    for (json& element : value) nullify_non_finite(element);
}

}  // namespace

JsonType<json> anything() {
  return {[](const JsonNode& node) { return node.value(); },
          [](json value) {
            nullify_non_finite(value);
            return value;
          },
          json::object(),
          {}};
}

JsonType<Pair> ends_type() {
  return {[](const JsonNode& node) {
            const std::vector<JsonNode> both = node.items(2);
            return Pair{real().read(both[0]), real().read(both[1])};
          },
          [](const Pair& pair) {
            return json::array({real().write(pair.first), real().write(pair.second)});
          },
          {{"type", "array"}, {"items", real().schema}, {"minItems", 2}, {"maxItems", 2}},
          {}};
}

}  // namespace bellwether
