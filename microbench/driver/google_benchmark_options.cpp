// SPDX-License-Identifier: MIT
#include "microbench/driver/google_benchmark_options.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "models/errors.hpp"

namespace bellwether {
namespace {

struct Choice {
  const char* option;
  std::vector<std::string> values;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all{{"format", {"console", "json"}},
                                       {"out_format", {"console", "json", "csv"}},
                                       {"color", {"auto", "true", "false"}},
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

}  // namespace bellwether
