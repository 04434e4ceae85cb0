// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// The files of results/published.
std::span<const EmbeddedFile> published_files();

}  // namespace bellwether
