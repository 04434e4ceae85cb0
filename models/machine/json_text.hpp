// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bellwether {

/// Arrays and objects in one another that a document may have: to print, copy and destroy a value
/// recurses.
inline constexpr int deepest_json = 100;

/// Whether a text, if it is JSON, is nested deeper; to be asked before it is parsed.
bool is_too_deep(std::string_view text);

/// What a text holds that need not be JSON: a discarded value where it is none, or too deep.
nlohmann::json try_json(std::string_view text);

/// For people: a text as it stands, a list's parts with x between ("64x64x32"), else JSON.
std::string json_words(const nlohmann::json& value);

/// Whether it is the beginning of a JSON value, which was cut off.
bool is_cut_json(std::string_view text);

}  // namespace bellwether
