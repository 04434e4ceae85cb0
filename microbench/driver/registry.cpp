// SPDX-License-Identifier: MIT
#include "microbench/driver/registry.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>

#include "microbench/diffusion/diffusion_cases.hpp"
#include "microbench/driver/google_benchmark_options.hpp"
#include "microbench/driver/measurements.hpp"
#include "microbench/lbm/lbm_cases.hpp"
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

/// The reporter that the options ask for. Google Benchmark's own choice (a null reporter) is freed
/// after the first run and used again in the next (1.7.1).
std::unique_ptr<benchmark::BenchmarkReporter> reporter_of(
    const Session& session, const std::vector<std::string>& arguments) {
  using benchmark::ConsoleReporter;
  if (session.rank() != 0) return std::make_unique<SilentReporter>();
  if (google_benchmark_option(arguments, "format", "console") == "json")
    return std::make_unique<benchmark::JSONReporter>();
  const std::string color = google_benchmark_option(arguments, "color", "auto");
  const bool colored = color == "auto" ? isatty(STDOUT_FILENO) == 1 : color != "false";
  const bool tabular = google_benchmark_option(arguments, "counters_tabular", "false") != "false";
  return std::make_unique<ConsoleReporter>(static_cast<ConsoleReporter::OutputOptions>(
      (colored ? ConsoleReporter::OO_Color : 0) | (tabular ? ConsoleReporter::OO_Tabular : 0)));
}

template <class Specs>
void register_all(Bench& bench, const Specs& specs, SampleStore& store) {
  for (const auto& spec : specs)
    register_case(bench.session().world(), make_case(bench, spec), store);
}

void register_everything(Bench& bench, SampleStore& store) {
  const MeasurementPlan plan(bench);
  register_all(bench, plan.neighbours, store);
  register_all(bench, plan.stream, store);
  register_all(bench, plan.compute, store);
  for (const std::size_t items : plan.launches)
    register_case(bench.session().world(), make_launch_case(bench, items), store);
  register_all(bench, plan.links, store);
  register_all(bench, plan.copies, store);
  register_all(bench, plan.hops, store);
  register_all(bench, plan.rings, store);
  for (const HidingSpec& spec : plan.hiding)
    for (Benchmark& part : make_cases(bench, spec))
      register_case(bench.session().world(), std::move(part), store);
  register_all(bench, plan.collectives, store);
  register_all(bench, plan.airfoil, store);
  register_all(bench, diffusion_specs(bench), store);
  register_all(bench, lbm_specs(bench), store);
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
  SampleStore store;
  benchmark::ClearRegisteredBenchmarks();
  register_everything(bench, store);
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
