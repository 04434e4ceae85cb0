// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace CLI {
class Option;
}

namespace bellwether {

/// The values that options were given or have by default, by their names with _ for -: numbers as
/// numbers, several words as a list. Options without a value are absent.
nlohmann::json asked_options(const std::vector<const CLI::Option*>& options);

}  // namespace bellwether
