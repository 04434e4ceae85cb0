// SPDX-License-Identifier: MIT
#include "run/command/subcommand.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/launcher.hpp"
#include "miniapps/comm/watchdog/node_watch.hpp"

namespace bellwether {

namespace {

/// Collective. Ranks that do not belong together would wait for one another for ever, or each be a
/// run of its own.
void require_one_job(const Session& session, const std::optional<Started>& launcher,
                     CommandLine command_line) {
  std::vector<std::string> words = command_line.words();
  words.erase(words.begin());  // where the program is may differ from node to node
  const std::string mine = fmt::format("{}", fmt::join(words, " "));
  const std::string first = from_rank(session.world(), 0, mine);
  agree_on_errors(session.world(), [&] {
    if (mine != first)
      throw BadInput(fmt::format(
          "the ranks were given different commands: rank 0 '{}', rank {} '{}'; expected "
          "one for all",
          first, session.rank(), mine));
    const std::string wrong =
        launcher ? contradiction(*launcher, session.size(), mpi_version()) : "";
    if (!wrong.empty()) throw BadEnvironment(wrong);
  });
}

}  // namespace

void Subcommand::add_backend() {
  options_.add("--backend", &backend_, "kokkos or cuda", {.shows_default = true});
}

void Subcommand::add_stall_limit() {
  options_.add("--stall-limit", &stall_limit_s_,
               "Seconds without progress after which the run is ended; 0: never",
               {.check = non_negative_number(), .shows_default = true, .group = "Expert"});
}

void Subcommand::add_ranks_per_node(int& ranks) {
  options_.add("--ranks-per-node", &ranks,
               "Consecutive ranks on a node; without it as on the machine",
               {.check = whole_number(1, std::numeric_limits<int>::max())});
}

void Subcommand::add_scaling(std::string& scaling, Options& options) {
  options.add_choice("--scaling", scaling, {"strong", "weak"},
                     "strong: the problem is that of all ranks; weak: that of one, which grows "
                     "with them: cells in proportion, a dense matrix' rows as their square root");
}

void Subcommand::add_plot(std::string& file, const char* shows) {
  options_.add("--plot", &file,
               fmt::format("Draw {} into this file: .svg, .pdf or .png (needs matplotlib)", shows),
               {.type = "FILE", .check = not_empty("a file")});
}

void Subcommand::add_progress() {
  options_.add_choice("--progress", progress_, {"auto", "on", "off"},
                      "What is being done, and the time left, on stderr: auto where that is a "
                      "terminal, the launcher's too; on: lines without a terminal as well");
}

ExitStatus with_session(CommandLine command_line, const std::string& backend, double stall_limit_s,
                        const std::function<ExitStatus(Session&, Heartbeat&)>& body) {
  std::exception_ptr agreed;
  bool speaks = false;
  ExitStatus status = ExitStatus::success;
  Heartbeat heartbeat;
  Watchdog watchdog(heartbeat, stall_limit_s);
  {
    const std::optional<int> local_rank = launched_local_rank();
    std::optional<std::string> gpu_problem;  // absent: no GPU was chosen
    if (local_rank) gpu_problem = choose_device(backend, *local_rank);
    const std::optional<Started> launcher = started();
    heartbeat.enter("MPI_Init");
    Session session(command_line.count, command_line.values);
    if (gpu_problem && session.launcher_misleads() && session.rank() == 0)
      fmt::print(std::cerr,
                 "bellwether: the launcher does not number the ranks of a node as MPI finds them: "
                 "MPI may have started on another GPU than the one that a rank now computes on "
                 "(use the launcher that belongs to this MPI)\n");
    // The watch ends before the message: leaving, a rank tells the others' watchdogs to keep quiet.
    try {
      require_one_job(session, launcher, command_line);
      const NodeWatch watch(watchdog, session);
      agree_on_errors(session.world(), [&] {
        if (gpu_problem && !gpu_problem->empty())
          throw BadEnvironment(fmt::format("--backend {}: {}", backend, *gpu_problem));
      });
      status = body(session, heartbeat);
    } catch (const std::exception& error) {
      if (!thrown_by_all(session, error)) {
        fmt::print(std::cerr, "bellwether: rank {} (host {}), phase {}, step {}: {}\n",
                   session.rank(), session.host(), heartbeat.phase.load(), heartbeat.step.load(),
                   message_of(error));
        session.leave(static_cast<int>(status_of(error)));
      }
      agreed = std::current_exception();
      status = status_of(error);
      speaks = session.rank() == 0 && launched_rank() == 0;
    }
    heartbeat.enter("MPI_Finalize");
  }
  if (agreed && speaks) std::rethrow_exception(agreed);
  // A launcher that sees one leave with an error ends those that have not spoken yet.
  if (agreed) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return status;
}

void AppChoices::add_to(Verb& verb, Options& common, const std::string& example,
                        const std::function<void(App&, Options&)>& add_own) {
  for (auto& app : apps()) {
    AppChoice& choice = *choices_.emplace_back(std::make_unique<AppChoice>());
    choice.options.begin_group("Problem");
    app->add_problem_options(choice.options);
    choice.options.begin_group("Variant");
    add_own(*app, choice.options);
    choice.verb = &verb.add_verb(app->name(), app->summary());
    choice.verb->show_examples(
        fmt::format(fmt::runtime(example), app->name(), app->example_options()));
    choice.verb->add(choice.options);
    choice.verb->add(common);
    choice.app = std::move(app);
  }
}

const AppChoice& AppChoices::given() const {
  const auto found = std::find_if(choices_.begin(), choices_.end(),
                                  [](const auto& choice) { return choice->verb->given(); });
  if (found == choices_.end()) throw std::logic_error("no application was asked for");
  return **found;
}

}  // namespace bellwether
