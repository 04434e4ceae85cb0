// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// What stands between the separators; of an empty text one empty word.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char letter : text)
    if (letter == separator)
      words.emplace_back();
    else
      words.back() += letter;
  return words;
}

}  // namespace bellwether
