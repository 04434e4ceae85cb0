// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "models/embedded_file.hpp"

namespace bellwether {

/// Of a fleet's jobs: marks.sh, submit.sh, and the scripts of run/batch.
std::span<const EmbeddedFile> fleet_files();

}  // namespace bellwether
