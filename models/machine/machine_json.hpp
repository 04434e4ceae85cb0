// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Reads a `bellwether.machine/1` document (models/machine/machine.schema.json). A Link's one-way
/// timing stands directly in the link's object, a ConcurrentTiming's beside its `pairs`; samples
/// are [bytes, seconds] pairs; `low` and `high` of a number default to its `value`. Throws BadInput
/// naming `file` and the JSON pointer of the key for anything unknown, missing, of the wrong type,
/// negative, not finite, unsorted or outside its own interval.
Machine parse_machine(const nlohmann::json& document, const std::string& file);

/// The document that parse_machine reads back as the same machine.
nlohmann::json to_json(const Machine& machine);

/// Whether it is a number with its interval and source in such a document.
bool is_quantity(const nlohmann::json& node);

/// What parse_machine accepts, as a JSON schema (draft 7); machine.schema.json holds it.
nlohmann::json machine_json_schema();

}  // namespace bellwether
