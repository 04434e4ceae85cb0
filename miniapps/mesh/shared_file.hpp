// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bellwether {

/// This rank's share of a text file: the whole lines that begin in its part of the bytes.
struct LinesShare {
  std::string text;
  std::int64_t before = 0;       ///< lines of the ranks before
  std::int64_t last_filled = 0;  ///< of the whole file, the number from 1 of the last filled line
};

/// Collective. Throws the same BadInput on all ranks for a file that cannot be read or has a line
/// of more than 4096 bytes. `check_memory` gets the bytes before they are read.
LinesShare read_lines_share(MPI_Comm comm, const std::string& path,
                            const std::function<void(double bytes)>& check_memory);

/// Collective. Replaces the file by the ranks' sections, each rank after rank; written beside it
/// and renamed when complete. Throws the same BadInput on all ranks and leaves nothing behind.
void write_sections(MPI_Comm comm, const std::string& path,
                    const std::vector<std::string>& sections);

}  // namespace bellwether
