// SPDX-License-Identifier: MIT
#include "miniapps/comm/watchdog/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "miniapps/comm/watchdog/node_watch.hpp"
#include "miniapps/comm/watchdog/watchdog_verdict.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::chrono::milliseconds tick{100};
/// Longer than the limit MPI may take to start and end where no rank is seen to stand still.
constexpr double slow_start_s = 4;
constexpr int out_of_time = static_cast<int>(ExitStatus::out_of_time);

std::string host_name() {
  std::array<char, 65> name{};  // HOST_NAME_MAX of Linux, and its end
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Empty where it cannot be read, as of a process that has ended.
std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// What a variable holds in the environment of a process, in which each word stands between nulls.
const char* variable_in(const std::string& environment, const char* name) {
  const std::string key = '\0' + std::string(name) + '=';
  const std::size_t at = environment.find(key);
  return at == environment.npos ? nullptr : &environment[at + key.size()];
}

/// Of a job, by the name that PMIx gives it: the ranks on this node that somebody or something has
/// stopped (SIGSTOP).
std::vector<int> stopped_ranks(const std::string& job) {
  std::vector<int> ranks;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    // "PID (name) state ...", where a name may hold anything.
    const std::string stat = text_of(entry->path() / "stat");
    if (const std::size_t at = stat.rfind(") T "); at == stat.npos || at != stat.rfind(')'))
      continue;
    const std::string environment = '\0' + text_of(entry->path() / "environ");
    const char* const its_job = variable_in(environment, "PMIX_NAMESPACE");
    if (its_job == nullptr || its_job != job) continue;
    const auto its = launched([&](const char* name) { return variable_in(environment, name); });
    if (its) ranks.push_back(its->rank);
  }
  return ranks;
}

std::string job_of_process() {
  const char* const job = variable_of_process("PMIX_NAMESPACE");
  return job == nullptr ? "" : job;
}

}  // namespace

Watchdog::Watchdog(Heartbeat& heartbeat, double limit_s)
    : heartbeat_(heartbeat),
      limit_s_(limit_s),
      host_(host_name()),
      job_(job_of_process()),
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  stop_ = true;
  latch_.wake();
  thread_.join();
}

void Watchdog::look_through(NodeWatch* node) {
  const std::lock_guard lock(mutex_);
  node_ = node;
  beats_ = -1;  // what the rank waits for now it waits for from now on
}

void Watchdog::watch() {
  auto before = std::chrono::steady_clock::now();
  while (true) {
    const int signal = latch_.wait(tick);
    if (stop_) {
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    // A process (or a whole machine) that stood still has not waited for anybody.
    now_s_ += std::min(std::chrono::duration<double>(now - before).count(), 1.0);
    before = now;
    const std::lock_guard lock(mutex_);
    if (node_ != nullptr)
      node_->look(now_s_, signal);
    else
      look_alone(signal);
  }
}

void Watchdog::look_alone(int signal) {
  if (const long beats = heartbeat_.beats; beats != beats_) {
    beats_ = beats;
    moved_at_ = now_s_;
  }
  const RankSight mine{launched_ ? launched_->rank : 0,
                       heartbeat_.phase.load(),
                       heartbeat_.step,
                       beats_,
                       now_s_ - moved_at_,
                       0,
                       false};
  if (signal != 0) {
    // A launcher sends it to those who are left when one has failed and said so.
    if (!launched_ || launched_->size == 1)
      say_end(describe_signal(SignalLatch::name_of(signal), mine, host_));
    ::_exit(out_of_time);
  }
  // The ranks wait alike: the lowest speaks first, and the launcher ends the others as it leaves.
  double limit_s = limit_s_ + 0.5 * std::min(mine.rank, 6);
  if (limit_s_ <= 0 || mine.quiet_s <= limit_s) return;
  std::vector<RankSight> ranks{mine};
  for (const int rank : stopped_ranks(job_))
    ranks.push_back({rank, mine.phase, mine.step, mine.beats, mine.quiet_s, mine.quiet_s, false});
  if (ranks.size() == 1) limit_s += slow_start_s;
  if (const auto verdict = judge(ranks, limit_s)) {
    say_end(describe(*verdict, ranks[verdict->index], host_));
    ::_exit(out_of_time);
  }
}

}  // namespace bellwether
