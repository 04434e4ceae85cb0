// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// plot_scaling.py.
std::span<const EmbeddedFile> plot_files();

}  // namespace bellwether
