// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "models/embedded_file.hpp"

namespace bellwether {

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
  std::string python_;
};

/// The scripts.
std::span<const EmbeddedFile> plot_files();

}  // namespace bellwether
