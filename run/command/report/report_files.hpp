// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"

namespace bellwether {

/// The page's template, report.html, then the Python program that fills it (PythonProgram::run).
std::span<const EmbeddedFile> report_files();

/// The page of results files, machine files, predictions and folders. Throws BadInput for what is
/// none of them or cannot be written, and BadEnvironment where what draws is missing. On rank 0.
void write_report(const std::vector<std::string>& files, const std::string& output,
                  const std::string& title);

}  // namespace bellwether
