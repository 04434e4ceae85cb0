// SPDX-License-Identifier: MIT
// A run that goes wrong in a chosen way, for watchdog_test.sh: watchdog_demo LIMIT_S BEHAVIOUR.
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "miniapps/comm/watchdog/node_watch.hpp"

namespace {

using bellwether::Session;

[[noreturn]] void sleep_for_ever() {
  while (true) {
    ::sleep(1);
  }
}

[[noreturn]] void signal_and_sleep(int number) {
  ::kill(::getpid(), number);
  sleep_for_ever();
}

void refuse() { throw bellwether::BadInput("fault of one rank"); }

void throw_on_one_rank() {
  bellwether::agree_on_errors(MPI_COMM_WORLD, [] {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) refuse();
  });
}

/// What one rank does in phase compute.interior of step 10; behaviours of all ranks are `on_all`.
struct Behaviour {
  bool on_all;
  std::function<void()> body;
};

const std::map<std::string, Behaviour> behaviours{
    {"deadlock", {true, [] {}}},
    {"healthy", {true, [] {}}},
    {"stop_before", {true, [] {}}},
    {"stop_after", {true, [] {}}},
    {"slow", {false, [] { ::usleep(1000000); }}},
    {"sleep", {false, sleep_for_ever}},
    {"stop", {false, [] { ::raise(SIGSTOP); }}},
    {"kill", {false, [] { ::raise(SIGKILL); }}},
    {"throw", {false, [] { throw std::runtime_error("fault of one rank"); }}},
    {"refuse", {false, refuse}},
    {"all_refuse", {true, refuse}},
    {"agree", {true, throw_on_one_rank}},
    {"terminate", {true, [] { signal_and_sleep(SIGTERM); }}},
    {"interrupt", {false, [] { signal_and_sleep(SIGINT); }}},
};

void run(const Session& session, bellwether::Watchdog& watchdog, const std::string& name) {
  bellwether::Heartbeat& heartbeat = watchdog.heartbeat();
  const bellwether::NodeWatch watch(watchdog, session);
  const int victim = session.size() > 1 ? 1 : 0;
  for (int step = 1; step <= 20; ++step) {
    heartbeat.step = step;
    heartbeat.enter("compute.interior");
    ::usleep(20000);
    // By now the watchdog has shown this phase to the others, whatever happens to this rank next.
    if (step == 10) {
      ::usleep(250000);
      std::printf("step 10\n");
      std::fflush(stdout);
      const Behaviour& behaviour = behaviours.at(name);
      if (behaviour.on_all || session.rank() == victim) {
        behaviour.body();
      }
    }
    heartbeat.enter("network");
    if (name == "deadlock" && step == 10) {
      MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 99, session.world(), MPI_STATUS_IGNORE);
    }
    MPI_Barrier(session.world());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("pid %d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  const std::string name = argv[2];
  const bool is_victim = bellwether::launched_rank() == 1;
  bellwether::Heartbeat heartbeat;
  bellwether::Watchdog watchdog(heartbeat, std::atof(argv[1]));
  heartbeat.enter("MPI_Init");
  if (name == "stop_before" && is_victim) ::raise(SIGSTOP);
  Session session(argc, argv);
  try {
    run(session, watchdog, name);
    heartbeat.enter("MPI_Finalize");
    if (name == "stop_after" && is_victim) ::raise(SIGSTOP);
  } catch (const std::exception& error) {
    const bool by_all = bellwether::thrown_by_all(session, error);
    if (!by_all || session.rank() == 0) {
      std::fprintf(stderr, "error: %s\n", error.what());
    }
    if (!by_all) {
      session.leave(static_cast<int>(bellwether::status_of(error)));
    }
    return 2;
  }
  return 0;
}
