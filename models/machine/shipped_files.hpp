// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// The files of models/machines.
std::span<const EmbeddedFile> shipped_files();

}  // namespace bellwether
