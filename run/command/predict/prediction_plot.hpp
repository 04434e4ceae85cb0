// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "models/embedded_file.hpp"
#include "run/command/python_program.hpp"

namespace bellwether {

/// Draws a predict document (--json) as a scaling curve, by plot_scaling.py, which is built into
/// the program, and a Python that has matplotlib.
class PredictionPlot {
 public:
  /// Checks all that can be checked before predicting. Throws BadInput for a file that does not end
  /// in .svg, .pdf or .png or is in a folder that is not there, and BadEnvironment where no Python
  /// has matplotlib.
  explicit PredictionPlot(std::string file);

  /// Replaces the file in one step.
  void draw(const std::string& document) const;

 private:
  std::string file_;
  std::string format_;
  PythonProgram python_;
};

/// plot_scaling.py.
std::span<const EmbeddedFile> plot_files();

}  // namespace bellwether
