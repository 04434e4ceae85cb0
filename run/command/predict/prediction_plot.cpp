// SPDX-License-Identifier: MIT
#include "run/command/predict/prediction_plot.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "models/errors.hpp"
#include "models/replace_file.hpp"

namespace bellwether {
namespace {

std::string picture_format(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string ending = path.extension().string();
  for (const char* format : {"svg", "pdf", "png"})
    if (ending == std::string(".") + format) return format;
  throw BadInput(
      fmt::format("--plot: found '{}', expected a file ending in .svg, .pdf or .png", file));
}

/// The format, once the file can be made.
std::string checked_format(const std::string& file) {
  std::string format = picture_format(file);
  check_writable("--plot", file);
  return format;
}

}  // namespace

PredictionPlot::PredictionPlot(std::string file)
    : file_(std::move(file)),
      format_(checked_format(file_)),
      python_("--plot", {{"matplotlib.figure", "python3-matplotlib"}}) {}

void PredictionPlot::draw(const std::string& document) const {
  replace_file(file_, python_.run(plot_files().front().text, {format_}, document));
}

}  // namespace bellwether
