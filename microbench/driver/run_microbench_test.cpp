// SPDX-License-Identifier: MIT
#include "microbench/driver/run_microbench.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

TEST(GoogleBenchmarkOptions, TheLastValueCounts) {
  const std::vector<std::string> arguments{"--benchmark_format=json", "--benchmark_color",
                                           "--benchmark_format=console"};
  EXPECT_EQ(google_benchmark_option(arguments, "format", "x"), "console");
  EXPECT_EQ(google_benchmark_option(arguments, "color", "x"), "true");
  EXPECT_EQ(google_benchmark_option(arguments, "filter", "x"), "x");
}

TEST(GoogleBenchmarkOptions, RefusesValuesOnWhichTheProcessWouldEnd) {
  for (const char* argument :
       {"format=xml", "format=csv", "out_format=csv", "out=x.json", "color=", "color=red",
        "time_unit=h", "enable_random_interleaving", "enable_random_interleaving=true",
        "repetitions=0", "repetitions=many", "min_time=-1", "min_time=inf", "min_time=1h",
        "min_time=", "perf_counters=CYCLES", "filter=(", "filter=["}) {
    const std::string word = std::string("--benchmark_") + argument;
    EXPECT_THROW(check_google_benchmark_options({word}), BadInput) << word;
    EXPECT_THROW(check_google_benchmark_options({word, "--benchmark_list_tests"}), BadInput);
  }
}

TEST(GoogleBenchmarkOptions, PassesTheRest) {
  for (const char* argument :
       {"format=json", "color=false", "time_unit=ms", "repetitions=3", "min_time=0.01",
        "min_time=0.01s", "min_time=10x", "min_warmup_time=0", "filter=a.*/b$", "filter=-copy",
        "enable_random_interleaving=false", "counters_tabular=true"})
    EXPECT_NO_THROW(check_google_benchmark_options({std::string("--benchmark_") + argument}))
        << argument;
}

TEST(GoogleBenchmarkOptions, TheBannerKeepsAllButTheWarningOfAssertions) {
  EXPECT_EQ(
      without_debug_warning("Run on (2 X 2100 MHz)\n***WARNING*** Library was built as DEBUG. "
                            "Timings may be affected.\nLoad\n"),
      "Run on (2 X 2100 MHz)\nLoad\n");
}

TEST(GoogleBenchmarkOptions, RefusesWhatGoogleBenchmarkDoesNotKnow) {
  EXPECT_NO_THROW(initialize_google_benchmark({"--benchmark_filter=x"}));
  EXPECT_THROW(initialize_google_benchmark({"--benchmark_fliter=x"}), BadInput);
  initialize_google_benchmark({});
}

}  // namespace
}  // namespace bellwether
