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

/// Collective. Throws the same BadInput on all ranks for a file that cannot be read, or that has a
/// line of more than 4096 bytes, which no mesh has: it is no text then. `check_memory` is called by
/// all ranks with the file's bytes before they are read.
LinesShare read_lines_share(MPI_Comm comm, const std::string& path,
                            const std::function<void(double bytes)>& check_memory);

/// Collective. Replaces the file by what the ranks have, section after section, and within a
/// section rank after rank; every rank has as many sections. Written beside it and renamed when
/// complete; throws the same BadInput on all ranks, and then leaves nothing behind.
void write_sections(MPI_Comm comm, const std::string& path,
                    const std::vector<std::string>& sections);

}  // namespace bellwether
