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

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t next) {
      return at + next < text.size() ? static_cast<unsigned char>(text[at + next]) : 0U;
    };
    unsigned code = 0;
    std::size_t bytes = 1;
    if ((byte(0) < ' ' && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7f) {
      code = byte(0);
    } else if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {  // C1
      code = byte(1);
      bytes = 2;
    } else if (byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                                   (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9))) {
      code = 0x2000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
      bytes = 3;
    } else {
      result += text[at++];
      continue;
    }
    result += fmt::format("\\u{:04x}", code);
    at += bytes;
  }
  return result;
}

void TextLine::refuse(const std::string& expected) const {
  throw BadInput(
      fmt::format("{}, line {}: found \"{}\", expected {}", file, number, shown(text), expected));
}

}  // namespace bellwether
