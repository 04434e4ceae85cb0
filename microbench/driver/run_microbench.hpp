// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Registers every benchmark of the suite on `backend` and runs those that Google Benchmark's own
/// options choose ("--benchmark_filter=stream", "--benchmark_list_tests", "--help"; without the
/// program's name), on all ranks in lock-step. Only rank 0 prints and writes files. Counters are of
/// one rank. Collective. Returns 0.
/// Throws BadInput for an argument that Google Benchmark does not know or a value that it does not
/// take, for random interleaving, which would drive the ranks apart, for a file that cannot be
/// written, and for a filter that matches nothing; otherwise as calibrate.
int run_microbench(Session& session, std::vector<std::string> google_benchmark_args,
                   const std::string& backend);

}  // namespace bellwether
