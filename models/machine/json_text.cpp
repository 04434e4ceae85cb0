// SPDX-License-Identifier: MIT
#include "models/machine/json_text.hpp"

namespace bellwether {

using nlohmann::json;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      at += c == '\\' ? 1 : 0;
    else if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}')
      --depth;
    if (depth > deepest_json) return true;
  }
  return false;
}

json try_json(std::string_view text) {
  return is_too_deep(text) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
}

std::string json_words(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string words;
  for (const json& part : value) words.append(words.empty() ? "" : "x").append(json_words(part));
  return words;
}

bool is_cut_json(std::string_view text) {
  try {
    return !is_too_deep(text) && json::parse(text).is_discarded();
  } catch (const json::parse_error& error) {
    return error.byte > text.size();
  } catch (const json::exception&) {
    return false;
  }
}

}  // namespace bellwether
