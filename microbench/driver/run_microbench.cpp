// SPDX-License-Identifier: MIT
#include "microbench/driver/run_microbench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <regex>
#include <sstream>

#include "microbench/driver/registry.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

struct Choice {
  const char* option;
  std::vector<std::string> values;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all{{"format", {"console", "json"}},
                                       {"color", {"auto", "false"}},
                                       {"time_unit", {"ns", "us", "ms", "s"}},
                                       {"enable_random_interleaving", {"false"}}};
  return all;
}

[[noreturn]] void refuse(const std::string& option, const std::string& found,
                         const std::string& expected) {
  throw BadInput(fmt::format("--benchmark_{}: found \"{}\", expected {}", option, found, expected));
}

/// Every value that the option is given, also those that a later one replaces.
template <class Check>
void each_value(const std::vector<std::string>& arguments, const std::string& option, Check check) {
  const std::string prefix = "--benchmark_" + option;
  for (const std::string& argument : arguments) {
    if (argument == prefix) check("true");
    if (argument.starts_with(prefix + "=")) check(argument.substr(prefix.size() + 1));
  }
}

void check_choices(const std::vector<std::string>& arguments) {
  for (const Choice& choice : choices())
    each_value(arguments, choice.option, [&choice](const std::string& value) {
      if (std::find(choice.values.begin(), choice.values.end(), value) != choice.values.end())
        return;
      std::string expected;
      for (const std::string& known : choice.values)
        expected += (expected.empty() ? "" : ", ") + known;
      refuse(choice.option, value, expected);
    });
}

/// `suffixes`: what may stand behind the number (newer versions: 0.5s, 10x).
void check_number(const std::vector<std::string>& arguments, const char* option, double least,
                  double most, const std::string& suffixes) {
  each_value(arguments, option, [&](const std::string& value) {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const std::string rest = end;
    const bool ends =
        rest.empty() || (rest.size() == 1 && suffixes.find(rest[0]) != std::string::npos);
    if (end == value.c_str() || !ends || !(number >= least && number <= most))
      refuse(option, value, fmt::format("a number from {} to {}", least, most));
  });
}

/// The first word that Google Benchmark does not know; empty if it knows all.
std::string initialize(std::vector<std::string> words) {
  static char name[] = "bellwether";  // Google Benchmark keeps the pointer and prints it
  std::vector<char*> pointers{name};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size()) + 1;
  benchmark::Initialize(&count, pointers.data());
  return count > 1 ? pointers[1] : "";
}

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
  const bool tabular = google_benchmark_option(arguments, "counters_tabular", "false") != "false";
  return std::make_unique<Console>(tabular ? Console::OO_Tabular : Console::OO_None);
}

}  // namespace

std::string google_benchmark_option(const std::vector<std::string>& arguments,
                                    const std::string& name, const std::string& otherwise) {
  std::string value = otherwise;
  each_value(arguments, name, [&value](const std::string& given) { value = given; });
  return value;
}

void check_google_benchmark_options(const std::vector<std::string>& arguments) {
  check_choices(arguments);
  check_number(arguments, "min_time", 0, 1e6, "sx");
  check_number(arguments, "min_warmup_time", 0, 1e6, "");
  check_number(arguments, "repetitions", 1, 1e6, "");
  for (const char* option : {"out", "out_format"})
    each_value(arguments, option, [option](const std::string& value) {
      refuse(option, value, "none: --benchmark_format=json > FILE");
    });
  each_value(arguments, "perf_counters", [](const std::string& value) {
    if (!value.empty()) refuse("perf_counters", value, "none: they are not counted here");
  });
  each_value(arguments, "filter", [](const std::string& value) {
    try {
      (void)std::regex(value, std::regex::extended);
    } catch (const std::regex_error& error) {
      refuse("filter", value, fmt::format("a regular expression ({})", error.what()));
    }
  });
}

std::string without_debug_warning(const std::string& banner) {
  static const std::regex warning("[^\n]*Library was built as DEBUG[^\n]*\n");
  return std::regex_replace(banner, warning, "");
}

void initialize_google_benchmark(const std::vector<std::string>& arguments) {
  (void)initialize(
      {"--benchmark_list_tests=false", "--benchmark_filter=", "--benchmark_min_time=0.5",
       "--benchmark_min_warmup_time=0", "--benchmark_repetitions=1",
       "--benchmark_report_aggregates_only=false", "--benchmark_display_aggregates_only=false",
       "--benchmark_enable_random_interleaving=false",
       "--benchmark_perf_counters=", "--benchmark_format=console", "--benchmark_out_format=json",
       "--benchmark_out=", "--benchmark_color=auto", "--benchmark_time_unit="});
  if (const std::string unknown = initialize(arguments); !unknown.empty())
    throw BadInput(
        fmt::format("microbench: found the argument {}, expected Google Benchmark's options (see "
                    "--help)",
                    unknown));
}

void run_microbench(Session& session, const std::vector<std::string>& google_benchmark_args,
                    const std::string& backend) {
  if (print_help(session, google_benchmark_args)) return;
  std::unique_ptr<benchmark::BenchmarkReporter> reporter;
  agree_on_errors(session.world(), [&] {
    check_google_benchmark_options(google_benchmark_args);
    initialize_google_benchmark(google_benchmark_args);
    reporter = reporter_of(session, google_benchmark_args);
  });
  Bench bench(session, backend, full_limits());
  const Plan plan = plan_on(bench);
  SampleStore store;
  benchmark::ClearRegisteredBenchmarks();
  for (const Group& group : plan.groups())
    for (const BenchCase& work : group.cases) register_case(session.world(), work, store);
  for (const BenchCase& work : plan.beside()) register_case(session.world(), work, store);
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
}

}  // namespace bellwether
