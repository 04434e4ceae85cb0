// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// Reads rank counts: "12", "1:65536" (the powers of two between, both ends included), "1:64:4"
/// (the first and every fourth after it, up to the last), or several of these between commas.
/// Ascending, each once. Throws BadInput on anything else and on more than 10000 counts.
std::vector<int> parse_rank_list(const std::string& text);

}  // namespace bellwether
