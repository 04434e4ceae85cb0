// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapps/amg/matrices/amg_rows.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// Collective. The matrix of a Matrix Market or hypre IJ file; each rank reads its part. Throws the
/// same on all: BadInput with file and line; BadEnvironment where memory is short.
std::unique_ptr<AmgRows> read_matrix(const Session& session, const std::string& name,
                                     long long most_rows, Heartbeat* heartbeat);

/// The files that there are of the name: one of Matrix Market, or hypre's.
std::vector<std::string> files_of_matrix(const std::string& name);

}  // namespace bellwether
