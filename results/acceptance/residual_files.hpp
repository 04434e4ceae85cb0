// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// residuals.json.
std::span<const EmbeddedFile> residual_files();

}  // namespace bellwether
