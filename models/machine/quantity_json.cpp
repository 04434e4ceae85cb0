// SPDX-License-Identifier: MIT
#include "models/machine/quantity_json.hpp"

#include "models/machine/strict_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bellwether {
namespace {

double number_in(const JsonNode& node, Range range) {
  if (range == Range::positive) return node.positive_number();
  return range == Range::fraction ? node.number(1) : node.number();
}

}  // namespace

Quantity parse_quantity(const JsonNode& node, Range range) {
  JsonObject object(node);
  const JsonNode value = object.required("value");
  Quantity quantity = Quantity::exact(number_in(value, range));
  if (const auto low = object.optional("low")) {
    quantity.low = number_in(*low, range);
    if (quantity.low > quantity.value)
      low->refuse(fmt::format("at most the value, {}", quantity.value));
  }
  if (const auto high = object.optional("high")) {
    quantity.high = number_in(*high, range);
    if (quantity.high < quantity.value)
      high->refuse(fmt::format("at least the value, {}", quantity.value));
  }
  if (const auto source = object.optional("source")) quantity.source = source->text();
  object.finish();
  return quantity;
}

nlohmann::json quantity_json(const Quantity& quantity) {
  nlohmann::json object = {{"value", quantity.value}};
  if (quantity.low != quantity.value || quantity.high != quantity.value) {
    object["low"] = quantity.low;
    object["high"] = quantity.high;
  }
  if (!quantity.source.empty()) object["source"] = quantity.source;
  return object;
}

std::map<std::string, Quantity> parse_by_precision(const JsonNode& node) {
  JsonObject object(node);
  std::map<std::string, Quantity> rates;
  for (const char* precision : {"f32", "f64"})
    if (const auto rate = object.optional(precision))
      rates[precision] = parse_quantity(*rate, Range::positive);
  object.finish();
  return rates;
}

nlohmann::json by_precision_json(const std::map<std::string, Quantity>& rates) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [precision, rate] : rates) object[precision] = quantity_json(rate);
  return object;
}

void require_ascending(const JsonNode& node, const char* what, bool first, double last,
                       double next) {
  if (!first && next <= last) node.refuse(fmt::format("{} above the one before, {}", what, last));
}

}  // namespace bellwether
