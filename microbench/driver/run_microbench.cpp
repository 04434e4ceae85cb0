// SPDX-License-Identifier: MIT
#include "microbench/driver/run_microbench.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>
#include <sstream>

#include "microbench/driver/google_benchmark_options.hpp"
#include "microbench/driver/registry.hpp"
#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// Google Benchmark's own help ends the process, which under MPI must not be.
bool print_help(const Session& session, const std::vector<std::string>& arguments) {
  const bool asked = std::any_of(arguments.begin(), arguments.end(), [](const std::string& text) {
    return text == "--help" || text == "-h";
  });
  if (asked && session.rank() == 0) {
    benchmark::PrintDefaultHelp();
    std::fflush(stdout);
  }
  return asked;
}

/// Hands the arguments to Google Benchmark; ranks other than 0 are to write no file.
void initialize(const Session& session, std::vector<std::string> arguments) {
  check_google_benchmark_options(arguments);
  const std::string file = google_benchmark_option(arguments, "out", "");
  if (session.rank() != 0)
    arguments.emplace_back("--benchmark_out=");
  else if (!file.empty())
    check_appendable(file);
  initialize_google_benchmark(arguments);
}

/// Google Benchmark's own, less without_debug_warning.
class Console final : public benchmark::ConsoleReporter {
 public:
  using ConsoleReporter::ConsoleReporter;
  bool ReportContext(const Context& context) override {
    std::ostream& error = GetErrorStream();
    std::ostringstream banner;
    SetErrorStream(&banner);
    const bool goes_on = ConsoleReporter::ReportContext(context);
    SetErrorStream(&error);
    error << without_debug_warning(banner.str());
    return goes_on;
  }
};

/// The reporter that the options ask for. Google Benchmark's own choice (a null reporter) is freed
/// after the first run and used again in the next (1.7.1).
std::unique_ptr<benchmark::BenchmarkReporter> reporter_of(
    const Session& session, const std::vector<std::string>& arguments) {
  if (session.rank() != 0) return std::make_unique<SilentReporter>();
  if (google_benchmark_option(arguments, "format", "console") == "json")
    return std::make_unique<benchmark::JSONReporter>();
  const std::string color = google_benchmark_option(arguments, "color", "auto");
  const bool colored = color == "auto" ? isatty(STDOUT_FILENO) == 1 : color != "false";
  const bool tabular = google_benchmark_option(arguments, "counters_tabular", "false") != "false";
  return std::make_unique<Console>(static_cast<Console::OutputOptions>(
      (colored ? Console::OO_Color : 0) | (tabular ? Console::OO_Tabular : 0)));
}

}  // namespace

int run_microbench(Session& session, std::vector<std::string> google_benchmark_args,
                   const std::string& backend) {
  if (print_help(session, google_benchmark_args)) return 0;
  std::unique_ptr<benchmark::BenchmarkReporter> reporter;
  agree_on_errors(session.world(), [&] {
    initialize(session, google_benchmark_args);
    reporter = reporter_of(session, google_benchmark_args);
  });
  Bench bench(session, backend, full_limits());
  const Plan plan = plan_on(bench);
  SampleStore store;
  benchmark::ClearRegisteredBenchmarks();
  for (const Group& group : plan.groups())
    for (const BenchCase& work : group.cases) register_case(session.world(), work, store);
  std::ostream nowhere(nullptr);  // lists of benchmarks go past the reporter to its stream
  if (session.rank() != 0) {
    reporter->SetOutputStream(&nowhere);
    reporter->SetErrorStream(&nowhere);
  }
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks(reporter.get());
  benchmark::ClearRegisteredBenchmarks();
  agree_on_errors(session.world(), [matched] {
    if (matched == 0) throw BadInput("microbench: the filter matches no benchmark");
  });
  return 0;
}

}  // namespace bellwether
