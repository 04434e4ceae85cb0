// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapps/amg/matrices/amg_rows.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Collective. The matrix of a Matrix Market file `name` (coordinate; real or integer; general or
/// symmetric), or of hypre's IJ files name.00000, name.00001, … as HYPRE_IJMatrixPrint writes them.
/// Every rank reads its part of the bytes, some MiB at a time, and sends entries to the ranks whose
/// rows they are in: as the files divide them where there are as many IJ files as ranks, else the
/// same number each, which differs by one at most. `heartbeat` beats meanwhile; may be null.
///
/// Throws the same on all ranks: BadInput with file and line for what cannot be read, is no such
/// file, is cut off, is not square or has more than `most_rows`, and for entries out of range, not
/// finite or there twice, rows without entries and diagonals that are missing or 0;
/// BadEnvironment, before the entries are read, where a node's memory does not suffice.
std::unique_ptr<AmgRows> read_matrix(const Session& session, const std::string& name,
                                     long long most_rows, Heartbeat* heartbeat);

/// The files that there are of the name: one of Matrix Market, or hypre's.
std::vector<std::string> files_of_matrix(const std::string& name);

}  // namespace bellwether
