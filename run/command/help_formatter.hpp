// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

namespace CLI {
class FormatterBase;
}

namespace bellwether {

/// Characters of a line of help: the terminal's on standard output, from 60 to 100; 80 without one.
std::size_t help_width();

/// --help in lines of `width` characters: options in groups, of a verb in a list its first
/// sentence.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width);

}  // namespace bellwether
