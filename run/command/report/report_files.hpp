// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// make_report.py and its page, report.html.
std::span<const EmbeddedFile> report_files();

}  // namespace bellwether
