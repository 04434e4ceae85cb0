// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// Collective. Runs the benchmarks that Google Benchmark's options choose, all ranks in lock-step;
/// rank 0 prints. Throws BadInput for options that it does not take and a filter without match.
void run_microbench(Session& session, const std::vector<std::string>& google_benchmark_args,
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

/// Sets Google Benchmark's options: its defaults, whatever the environment says, then `arguments`,
/// which are checked. Throws BadInput for one that it does not know.
void initialize_google_benchmark(const std::vector<std::string>& arguments);

}  // namespace bellwether
