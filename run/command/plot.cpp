// SPDX-License-Identifier: MIT
#include "run/command/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

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

Plot::Plot(std::string file, const char* script)
    : file_(std::move(file)),
      script_(script),
      format_(checked_format(file_)),
      python_("--plot", {{"matplotlib.figure", "python3-matplotlib"}}) {}

void Plot::draw(const std::string& document) const {
  const std::span<const EmbeddedFile> files = plot_files();
  const auto script = std::find_if(files.begin(), files.end(), [this](const EmbeddedFile& file) {
    return std::string_view(file.name) == script_;
  });
  replace_file(file_, python_.run({&*script, 1}, {format_}, document));
}

}  // namespace bellwether
