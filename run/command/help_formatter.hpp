// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}

namespace bellwether {

/// Text in lines of at most `width` characters, broken at spaces; a longer word has a line of its
/// own. Line breaks of the text stay.
std::string wrapped(const std::string& text, std::size_t width);

/// Characters of a line of help: the terminal's on standard output, from 60 to 100; 80 without one.
std::size_t help_width();

/// --help in lines of `width` characters: options in groups, of a verb in a list its first
/// sentence.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width);

}  // namespace bellwether
