// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace bellwether {

/// What was wrong with the command line, in the suite's words: a verb or mini-app that is missing
/// or unknown is said with those that there are.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace bellwether
