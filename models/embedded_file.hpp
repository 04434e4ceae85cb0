// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// A file that is built into the program (cmake/EmbedFiles.cmake), so that a relocated program
/// needs no path to it.
struct EmbeddedFile {
  const char* name;  ///< file name without its directory
  const char* text;
};

}  // namespace bellwether
