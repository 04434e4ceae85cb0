// SPDX-License-Identifier: MIT
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <thread>

#include "miniapps/comm/session/launcher.hpp"
#include "run/command/standard_streams.hpp"
#include "run/command/subcommand.hpp"
#include "run/command/verb.hpp"

using namespace bellwether;

namespace {

using Verbs = std::vector<std::unique_ptr<Subcommand>>;

bool is_parallel(const Verbs& verbs) {
  return std::any_of(verbs.begin(), verbs.end(),
                     [](const auto& verb) { return verb->chosen() && verb->is_parallel(); });
}

/// The launcher ends the job as soon as one process leaves with an error, Open MPI's mpirun a
/// second later: rank 0 speaks, and the others give it time to. One that is still there then speaks
/// too: it was given another command, or what numbers it is left over from another program.
int report(ExitStatus status, const std::string& message) {
  if (launched_rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  fmt::print(std::cerr, "bellwether: {}\n", message);
  return static_cast<int>(status);
}

int run(int argc, char** argv) {
  CommandParser parser(
      "GPU/MPI mini-app benchmarks with embedded performance models: is this number normal?\n"
      "Exit status: 0 done and right; 1 a verification failed; 2 unusable input; 3 the environment "
      "cannot do it; 4 a performance verdict failed; 5 out of time, ended by a signal, or a rank "
      "stopped answering; 6 a fault of bellwether's own",
      "bellwether " BELLWETHER_VERSION);
  Verbs verbs;
  for (MakeSubcommand* const make :
       {make_calibrate_command, make_run_command, make_accept_command, make_predict_command,
        make_reproduce_command, make_machines_command, make_compare_command, make_report_command,
        make_fit_command, make_transfer_command, make_trace_command, make_export_command,
        make_history_command, make_fleet_command, make_study_command, make_mesh_command,
        make_microbench_command})
    verbs.push_back(make());
  for (const auto& verb : verbs) verb->add_to(parser.root());
  if (argc == 1) {
    if (launched_rank() == 0) std::cout << parser.help();
    return static_cast<int>(ExitStatus::bad_input);
  }
  try {
    if (const auto help = parser.parse(argc, argv)) {
      if (launched_rank() == 0 || !is_parallel(verbs)) std::cout << *help;
      return 0;
    }
    for (const auto& verb : verbs)
      if (verb->chosen()) return static_cast<int>(verb->run({argc, argv}));
    return static_cast<int>(ExitStatus::internal_fault);
  } catch (const std::exception& error) {
    return report(status_of(error), message_of(error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size then fails
  StandardStreams streams;
  const int status = run(argc, argv);
  const std::string lost = streams.failure();
  if (lost.empty()) return status;
  const int unwritten = report(ExitStatus::bad_input, "standard output cannot be written: " + lost);
  return status == 0 ? unwritten : status;
}
