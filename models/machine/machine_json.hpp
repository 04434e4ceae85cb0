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

/// What parse_machine accepts, as a JSON schema (draft 7); machine.schema.json holds it.
nlohmann::json machine_json_schema();

/// parse_machine on a file. Throws BadInput also if it is missing, empty or not JSON.
Machine read_machine(const std::string& path);

/// Replaces the file in one step: a reader finds the old content or the new. Throws BadInput if it
/// cannot be written, or if read_machine could not read it back.
void write_machine(const std::string& path, const Machine& machine);

/// The machines that come with the suite, by name; they are part of the program.
std::vector<Machine> shipped_machines();

/// The machine of a file where such a path exists, else the shipped machine of that name. Throws
/// BadInput listing the shipped names.
Machine find_machine(const std::string& name_or_file);

}  // namespace bellwether
