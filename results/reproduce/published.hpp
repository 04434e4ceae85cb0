// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bellwether {

/// The document results/published/`paper`.json: what a paper ran and what it published, as data.
/// Part of the program. The keys are the paper's own quantities with their units; "comment" keys
/// say where a number stands and what is wrong with it. Throws std::out_of_range for an unknown
/// paper.
const nlohmann::json& published(const std::string& paper);

}  // namespace bellwether
