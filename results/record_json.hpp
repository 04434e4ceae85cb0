// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/record.hpp"

namespace bellwether {

/// A record of this or an earlier version; unknown keys are ignored. `place`: "r.jsonl, line 3".
/// Throws BadInput for another schema, and naming the key for a wrong type or range.
Record parse_record(const nlohmann::json& document, const std::string& place);

/// JSON schema (draft 7) of a record; results/record.schema.json holds it.
nlohmann::json record_json_schema();

}  // namespace bellwether
