// SPDX-License-Identifier: MIT
#include "microbench/driver/run_microbench.hpp"

#include <CLI/CLI.hpp>
#include "run/command/backend_choice.hpp"
#include "run/command/with_session.hpp"

namespace bellwether {
namespace {

class MicrobenchCommand final : public Subcommand {
 public:
  void add_to(CLI::App& program) override {
    verb_ = program.add_subcommand(
        "microbench",
        "Run the microbenchmarks alone, with Google Benchmark's options "
        "(--benchmark_filter=REGEX, --benchmark_list_tests, --benchmark_format=json)");
    verb_->add_option("--backend", backend_, "kokkos or cuda")->capture_default_str();
    verb_->allow_extras();
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine command_line) override {
    const std::vector<std::string> rest = verb_->remaining();
    for (const std::string& word : rest)
      if (word.rfind("--benchmark_", 0) != 0)
        throw BadInput("microbench: found '" + word + "', expected options of Google Benchmark");
    return with_session(command_line, 0, [&](Session& session, Heartbeat&) {
      agree_on_errors(session.world(), [&] { open_device(backend_, session.local_rank()); });
      return run_microbench(session, rest, backend_) == 0 ? ExitStatus::success
                                                          : ExitStatus::bad_input;
    });
  }

 private:
  CLI::App* verb_ = nullptr;
  std::string backend_ = "kokkos";
};

}  // namespace

std::unique_ptr<Subcommand> make_microbench_command() {
  return std::make_unique<MicrobenchCommand>();
}

}  // namespace bellwether
