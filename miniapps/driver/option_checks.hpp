// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace CLI {
class Validator;
}

namespace bellwether {

/// Checks for CLI::Option::check on each word that an option is given. They refuse what is no
/// number from end to end, is not finite or is out of range, with what was found and is expected.
CLI::Validator whole_number(long long lowest, long long highest);
CLI::Validator any_number();
CLI::Validator positive_number();
CLI::Validator non_negative_number();

/// Throws BadInput that names the option unless `found` is one of the two.
void check_one_of(const char* option, const std::string& found, const char* first,
                  const char* second);

/// Refuses an empty word where `what` (a file, a name) is expected.
CLI::Validator not_empty(const char* what);

}  // namespace bellwether
