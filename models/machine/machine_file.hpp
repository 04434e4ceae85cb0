// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

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

/// The files of models/machines.
std::span<const EmbeddedFile> shipped_files();

}  // namespace bellwether
