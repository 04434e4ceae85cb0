// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"

namespace bellwether {

/// A Python module that a program needs, and Debian's package of it.
struct PythonModule {
  const char* name;
  const char* package;
};

/// Runs a Python program that is built into the command, in a Python that has its modules.
class PythonProgram {
 public:
  /// Looks for a Python. Throws BadEnvironment, which names `what` wants it ("--plot") and what is
  /// missing.
  PythonProgram(std::string what, const std::vector<PythonModule>& modules);

  /// The standard output of the last file with these arguments and standard input; the files before
  /// it are modules, each after those that it imports. Throws std::runtime_error if it fails; its
  /// own message has then gone to stderr.
  [[nodiscard]] std::string run(std::span<const EmbeddedFile> files,
                                const std::vector<std::string>& arguments,
                                const std::string& input) const;

 private:
  std::string what_;
  std::string python_;
};

/// Throws BadInput naming `option` if the file could not be made: its folder is not there, or not
/// writable, or it is a folder itself.
void check_writable(const std::string& option, const std::string& file);

}  // namespace bellwether
