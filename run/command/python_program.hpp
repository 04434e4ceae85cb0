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

  /// The standard output of the last file with these arguments and a JSON document as standard
  /// input, in whose texts "\$" stands for "$", as matplotlib has it; the files before it are
  /// modules, each after those that it imports. Throws std::runtime_error if it fails; its own
  /// message has then gone to stderr.
  [[nodiscard]] std::string run(std::span<const EmbeddedFile> files,
                                const std::vector<std::string>& arguments,
                                const std::string& document) const;

 private:
  std::string what_;
  std::string python_;
};

/// Throws BadInput naming `option` if the file could not be made: its folder is not there, or not
/// writable, or it is a folder itself.
void check_writable(const std::string& option, const std::string& file);

/// Draws a command's document (--json) by a script that is built into the program, and a Python
/// that has matplotlib.
class Plot {
 public:
  /// Checks all that can be checked before there is a document. `script`: plot_scaling.py,
  /// plot_fit.py. Throws BadInput for a file that does not end in .svg, .pdf or .png or is in a
  /// folder that is not there, and BadEnvironment where no Python has matplotlib.
  Plot(std::string file, const char* script);

  /// Replaces the file in one step.
  void draw(const std::string& document) const;

 private:
  std::string file_;
  const char* script_;
  std::string format_;
  PythonProgram python_;
};

/// The scripts.
std::span<const EmbeddedFile> plot_files();

}  // namespace bellwether
