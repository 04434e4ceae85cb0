// SPDX-License-Identifier: MIT
#include "models/machine/json_type.hpp"

#include <fmt/format.h>

#include <limits>

namespace bellwether {
namespace {

using nlohmann::json;

template <class T>
JsonType<T> plain(SharedFunction<T(const JsonNode&)> read, json schema) {
  return {std::move(read), [](const T& value) { return json(value); }, std::move(schema), {}};
}

json count_schema(int lowest) {
  return {{"type", "integer"}, {"minimum", lowest}, {"maximum", std::numeric_limits<int>::max()}};
}

double number_in(const JsonNode& node, Range range) {
  if (range == Range::fraction) return node.number(1);
  return range == Range::nonnegative ? node.number() : node.positive_number();
}

Quantity read_quantity(const JsonNode& node, Range range) {
  if (node.value().is_number()) return Quantity::exact(number_in(node, range), plain_number);
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
  if (range == Range::efficiency && quantity.high > 1)
    node.refuse("an efficiency above 0 and at most 1");
  return quantity;
}

json write_quantity(const Quantity& quantity) {
  json object = {{"value", quantity.value}};
  if (quantity.low != quantity.value || quantity.high != quantity.value) {
    object["low"] = quantity.low;
    object["high"] = quantity.high;
  }
  if (!quantity.source.empty()) object["source"] = quantity.source;
  return object;
}

json quantity_schema(Range range) {
  json number = json::object();
  const bool from_zero = range == Range::nonnegative || range == Range::fraction;
  number[from_zero ? "minimum" : "exclusiveMinimum"] = 0;
  if (range == Range::fraction || range == Range::efficiency) number["maximum"] = 1;
  json schema = number;  // of a plain number
  schema["type"] = json::array({"object", "number"});
  number["type"] = "number";
  schema["additionalProperties"] = false;
  schema["required"] = json::array({"value"});
  schema["properties"] = {
      {"value", number}, {"low", number}, {"high", number}, {"source", {{"type", "string"}}}};
  return schema;
}

}  // namespace

JsonType<std::string> json_text() {
  return plain<std::string>([](const JsonNode& node) { return node.text(); }, {{"type", "string"}});
}

JsonType<double> json_number() {
  return plain<double>([](const JsonNode& node) { return node.number(); },
                       {{"type", "number"}, {"minimum", 0}});
}

JsonType<double> json_positive() {
  return plain<double>([](const JsonNode& node) { return node.positive_number(); },
                       {{"type", "number"}, {"exclusiveMinimum", 0}});
}

JsonType<int> json_count(int lowest) {
  return plain<int>([lowest](const JsonNode& node) { return node.count(lowest); },
                    count_schema(lowest));
}

JsonType<std::string> json_word(std::vector<std::string> words) {
  const json schema = {{"enum", words}};
  return plain<std::string>(
      [words = std::move(words)](const JsonNode& node) { return node.one_of(words); }, schema);
}

JsonType<std::array<int, 2>> json_count_range(const char* what) {
  return plain<std::array<int, 2>>(
      [what](const JsonNode& node) {
        const std::vector<JsonNode> ends = node.items();
        if (ends.size() != 2) node.refuse("a pair [smallest, largest]");
        const std::array<int, 2> range{ends[0].count(1), ends[1].count(1)};
        require_above(ends[1], what, range[0], range[1]);
        return range;
      },
      {{"type", "array"}, {"items", count_schema(1)}, {"minItems", 2}, {"maxItems", 2}});
}

JsonType<Quantity> json_quantity(Range range) {
  const JsonType<Quantity> type{
      [range](const JsonNode& node) { return read_quantity(node, range); },
      write_quantity,
      quantity_schema(range),
      {}};
  switch (range) {
    case Range::nonnegative:
      return named("nonnegative_quantity", "As positive_quantity, but it may be 0.", type);
    case Range::fraction:
      return named("fraction_quantity", "As positive_quantity, from 0 to 1.", type);
    case Range::efficiency:
      return named("efficiency_quantity", "As positive_quantity, at most 1.", type);
    case Range::positive:
      break;
  }
  return named("positive_quantity",
               "A number > 0 in the unit its key bears; low <= value <= high, both default to "
               "value: the 95 % interval where measured. A plain number is of a data sheet: an "
               "assumption with its class's interval (device_classes.json).",
               type);
}

JsonType<std::map<std::string, Quantity>> json_by_precision() {
  return named("rates_by_precision", "",
               json_keyed({"f32", "f64"}, json_quantity(Range::positive)));
}

}  // namespace bellwether
