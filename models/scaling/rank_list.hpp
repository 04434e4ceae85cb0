// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace bellwether {

/// The rank counts of a sweep, ascending and each once.
struct RankSweep {
  std::vector<int> counts;
  /// Those that were given one by one or as an end of a range. A sweep may leave out the others
  /// where they cannot divide the problem.
  std::vector<int> named;
  bool weak = false;  ///< the problem grows with the ranks
};

/// Reads rank counts: "12", "1:65536" (the powers of two between, both ends included), "1:64:4"
/// (the first and every fourth after it, up to the last), or several of these between commas.
/// Throws BadInput on anything else and on more than 16384 counts, before it makes them.
RankSweep parse_rank_sweep(const std::string& text);

/// The same of whole nodes. Throws BadInput too for more ranks than any machine has.
RankSweep parse_node_sweep(const std::string& text, int ranks_per_node);

}  // namespace bellwether
