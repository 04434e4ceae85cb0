// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace bellwether {

/// A file of models/machines, built into the program (embed_machines.cmake), so that a relocated
/// program needs no path to it.
struct ShippedFile {
  const char* name;  ///< file name without its directory
  const char* text;
};
std::span<const ShippedFile> shipped_files();

}  // namespace bellwether
