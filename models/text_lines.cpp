// SPDX-License-Identifier: MIT
#include "models/text_lines.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const bool printable = c >= ' ' && c <= '~';
    result +=
        printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > longest ? result + "…" : result;
}

void TextLine::refuse(const std::string& expected) const {
  throw BadInput(
      fmt::format("{}, line {}: found \"{}\", expected {}", file, number, shown(text), expected));
}

}  // namespace bellwether
