// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <thread>

#include "run/command/subcommand.hpp"
#include "run/command/usage_message.hpp"

using namespace bellwether;

namespace {

/// The launcher ends the job as soon as one process leaves with an error: rank 0 speaks, and the
/// others give it time to.
int report(ExitStatus status, const std::string& message) {
  if (launched_rank() == 0)
    fmt::print(stderr, "bellwether: {}\n", message);
  else
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return static_cast<int>(status);
}

int parse_error(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0)
    return report(ExitStatus::bad_input, usage_message(program, error) +
                                             " (see bellwether --help, or bellwether VERB --help)");
  if (launched_rank() == 0) program.exit(error);  // --help, --version
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{
      "GPU/MPI mini-app benchmarks with embedded performance models: is this number normal?\n"
      "Exit status: 0 done and right; 1 a verification failed; 2 unusable input; 3 the environment "
      "cannot do it; 4 a performance verdict failed; 5 out of time or a rank stopped answering; 6 "
      "a "
      "fault of bellwether's own"};
  program.set_version_flag("--version", "bellwether " BELLWETHER_VERSION);
  program.require_subcommand(1);
  std::vector<std::unique_ptr<Subcommand>> verbs;
  verbs.push_back(make_calibrate_command());
  verbs.push_back(make_run_command());
  verbs.push_back(make_predict_command());
  verbs.push_back(make_reproduce_command());
  verbs.push_back(make_machines_command());
  verbs.push_back(make_mesh_command());
  verbs.push_back(make_microbench_command());
  for (const auto& verb : verbs) verb->add_to(program);
  try {
    program.parse(argc, argv);
    for (const auto& verb : verbs)
      if (verb->chosen()) return static_cast<int>(verb->run({argc, argv}));
    return static_cast<int>(ExitStatus::internal_fault);
  } catch (const CLI::ParseError& error) {
    return parse_error(program, error);
  } catch (const BadInput& error) {
    return report(ExitStatus::bad_input, error.what());
  } catch (const BadEnvironment& error) {
    return report(ExitStatus::bad_environment, error.what());
  } catch (const std::exception& error) {
    return report(ExitStatus::internal_fault, fmt::format("a fault of its own: {}", error.what()));
  }
}
