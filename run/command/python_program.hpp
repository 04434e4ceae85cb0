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

  /// What the last file prints, given the arguments and a JSON document whose "\$" stands for "$";
  /// the files before it are modules. Throws std::runtime_error if it fails.
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
  /// `script`: plot_scaling.py or plot_fit.py. Throws BadInput for a file that cannot be made or
  /// ends in none of .svg, .pdf, .png, and BadEnvironment where no Python has matplotlib.
  Plot(std::string file, const char* script);

  /// Replaces the file in one step.
  void draw(const std::string& document) const;

 private:
  std::string file_;
  const char* script_;
  std::string format_;
  PythonProgram python_;
};

/// What they have in common, then the scripts.
std::span<const EmbeddedFile> plot_files();

}  // namespace bellwether
