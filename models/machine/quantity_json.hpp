// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/machine/quantity.hpp"

namespace bellwether {

class JsonNode;

/// What values a quantity may have.
enum class Range { positive, nonnegative, fraction };

/// Reads {"value", "low", "high", "source"}; `low` and `high` default to the value. Throws BadInput
/// naming the key for what is out of range, not ordered or unknown.
Quantity parse_quantity(const JsonNode& node, Range range);
nlohmann::json quantity_json(const Quantity& quantity);

/// Rates in an object with the keys "f32" and "f64", each of which may be missing.
std::map<std::string, Quantity> parse_by_precision(const JsonNode& node);
nlohmann::json by_precision_json(const std::map<std::string, Quantity>& rates);

/// Refuses `node` unless `next` lies above `last`, the same key of the element before; the first
/// element has none before it.
void require_ascending(const JsonNode& node, const char* what, bool first, double last,
                       double next);

}  // namespace bellwether
