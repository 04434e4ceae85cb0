// SPDX-License-Identifier: MIT
#include "microbench/driver/run_microbench.hpp"

#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class MicrobenchCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    add_backend();
    verb_ = &program.add_verb(
        "microbench",
        "Run the microbenchmarks alone. Takes Google Benchmark's options: "
        "--benchmark_filter=REGEX, --benchmark_list_tests, --benchmark_format=json");
    verb_->show_examples(
        "  mpirun -n 2 bellwether microbench --benchmark_filter=ping_pong/1048576/");
    verb_->add(options_);
    verb_->accept_other_words();
  }
  [[nodiscard]] bool is_parallel() const override { return true; }

  ExitStatus run(CommandLine command_line) override {
    const std::vector<std::string> rest = verb_->other_words();
    for (const std::string& word : rest)
      if (word.rfind("--benchmark_", 0) != 0)
        throw BadInput("microbench: found '" + word + "', expected options of Google Benchmark");
    return with_session(command_line, backend_, 0, [&](Session& session, Heartbeat&) {
      run_microbench(session, rest, backend_);
      return ExitStatus::success;
    });
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_microbench_command() {
  return std::make_unique<MicrobenchCommand>();
}

}  // namespace bellwether
