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

/// The value of the last "--benchmark_<name>=value", "true" for the last one without a value, or
/// `otherwise`.
std::string google_benchmark_option(const std::vector<std::string>& arguments,
                                    const std::string& name, const std::string& otherwise);

/// Throws BadInput, naming what was found and is expected, for values on which Google Benchmark
/// would end the process, which under MPI must not be, never end, or drive the ranks apart.
void check_google_benchmark_options(const std::vector<std::string>& arguments);

/// Google Benchmark's banner without the warning that its library was built with assertions: these
/// stand between the samples, whose times we take ourselves.
std::string without_debug_warning(const std::string& banner);

/// Sets Google Benchmark's options: its defaults, whatever the environment asks for, then
/// `arguments`, which check_google_benchmark_options has passed. Throws BadInput for one that it
/// does not know.
void initialize_google_benchmark(const std::vector<std::string>& arguments);

}  // namespace bellwether
