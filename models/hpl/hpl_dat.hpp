// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/hpl/hpl_problem.hpp"

namespace bellwether {

/// What HPL's input file asks for (netlib HPL 2.3, HPL.dat), as far as it is told apart here. Every
/// list has one value at least.
struct HplDat {
  std::vector<long> sizes;  ///< N
  std::vector<int> blocks;  ///< NB
  std::vector<ProcessGrid> grids;
  std::vector<std::string> bcasts;  ///< of broadcast_names(), each once
  std::vector<bool> look_aheads;    ///< each once
  std::string swap;                 ///< spread-roll, binary-exchange or mix
  int swap_threshold = 0;           ///< columns up to which mix takes binary-exchange
  /// What the file asks for and does not get, a line each, beginning with its name.
  std::vector<std::string> remarks;

  /// The NBs of a size, each once: one above N is N, a matrix of one block.
  [[nodiscard]] std::vector<int> blocks_of(long size) const;
};

/// The lines that say P and Q.
inline constexpr const char* hpl_dat_grid_lines = "lines 11 and 12";

/// Reads the text of such a file of 31 lines or more; `file` is what messages call it. Throws
/// BadInput with the line, what was found there and what is expected.
HplDat parse_hpl_dat(std::string_view text, const std::string& file);

/// The same of a file. Throws BadInput if it cannot be read.
HplDat read_hpl_dat(const std::string& file);

/// The digit by which HPL codes a broadcast in its results: 0 to 3 for the rings, 4 for pipeline,
/// which stands in the place of HPL's two long ones, 6 for tree, which HPL has not.
int hpl_broadcast_digit(const std::string& name);

}  // namespace bellwether
