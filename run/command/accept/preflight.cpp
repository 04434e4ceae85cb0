// SPDX-License-Identifier: MIT
#include "run/command/accept/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "kernels/dense/host_blas.hpp"
#include "microbench/driver/bench.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/node_health.hpp"
#include "models/errors.hpp"
#include "results/changes/change.hpp"
#include "results/gpu_monitor.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// Builds each plan of a case and lets it go; the seconds that took. Throws as they do. Whose ranks
/// or threads share cores goes to `crowded`.
double build_once(const Session& session, CaseRunner& runner, PreparedCase& one,
                  std::set<std::string>& crowded) {
  check_on_all(one.app(), session);
  one.plan(&runner.site().device);
  const double begin = clock_s();
  for (const CasePlan& plan : one.plans()) {
    runner.site().heartbeat->enter("preflight");
    crowded.insert(runner.crowded(*plan.build(runner.site())));
  }
  return clock_s() - begin;
}

/// Seconds until the batch system ends the job; 0: it does not say.
double batch_limit_s() {
  // Slurm: the time of day; Torque: the whole of the job's time.
  if (const char* end = std::getenv("SLURM_JOB_END_TIME"))
    return std::max(1.0, std::atof(end) - static_cast<double>(std::time(nullptr)));
  if (const char* whole = std::getenv("PBS_WALLTIME")) return std::atof(whole);
  return 0;
}

std::string minutes(double seconds) { return fmt::format("{:.1f} min", seconds / 60); }

/// What the folder takes on the disk, roughly: records and occasions grow with the ranks.
double bytes_needed(const Session& session, const Suite& suite, std::size_t records) {
  const double ranks = session.size();
  return 6e6 + static_cast<double>(records) * (8e3 + 500 * ranks) +
         suite.siblings.occasions * (1e3 + 200 * ranks + 60 * 128 * std::min(256.0, ranks));
}

/// What an acceptance that was begun has done.
struct Done {
  bool calibrated = false;
  int occasions = 0;
  std::map<std::string, int> records;  ///< by their case's place
};

Done done_in(const AcceptFolder& folder) {
  Done done{std::filesystem::exists(folder.machine()),
            static_cast<int>(read_siblings(folder.siblings()).size()),
            {}};
  const nlohmann::json::json_pointer place("/request/case");
  for (const Record& record : folder.records())
    if (record.verification.passed && record.provenance.contains(place))
      ++done.records[record.provenance.at(place)];
  return done;
}

void look_at_layout(Session& session, const CaseRunner& runner, std::set<std::string> crowded,
                    Preflight& found) {
  const int ranks = session.ranks_on_node();
  const int fewest = static_cast<int>(least(session.world(), 1.0 * ranks));
  const int most = session.most_ranks_on_a_node();
  if (fewest != most)
    found.remarks.push_back(
        fmt::format("nodes have from {} to {} ranks: they are no equal siblings", fewest, most));
  crowded.erase("");
  for (const std::string& who : crowded)
    found.remarks.push_back(
        fmt::format("OVERSUBSCRIBED: {}: they wait; totals are not held against predictions, "
                    "ranks on the same cores are measured in turns",
                    who));
  if (runner.ranks_per_device() > 1)
    found.remarks.push_back("SHARED DEVICE: " + shared_device_text(runner.ranks_per_device()));
}

void look_at_hosts(Session& session, CaseRunner& runner, const Suite& suite, Preflight& found) {
  const HealthFindings health = look_at_health(session, runner.gpu(), suite.health);
  found.problems = health.failures;
  found.of_input = found.of_input && health.failures.empty();
  for (const auto* const sentences : {&health.warnings, &health.untold})
    found.remarks.insert(found.remarks.end(), sentences->begin(), sentences->end());
  if (!runner.energy_remark().empty()) found.remarks.push_back(runner.energy_remark());
  if (runner.site().device.is_host()) {
    if (!blas_remark().empty()) found.remarks.push_back(blas_remark());
    return;
  }
  const GpuMonitor* const gpu = runner.gpu();
  const std::vector<std::string> states =
      gather_texts(session.world(), gpu == nullptr ? "null" : gpu->read().dump());
  if (session.rank() == 0) {
    std::vector<nlohmann::json> parsed;
    for (const std::string& state : states) parsed.push_back(nlohmann::json::parse(state));
    for (std::string& remark : gpu_remarks(parsed)) found.remarks.push_back(std::move(remark));
  }
  const std::optional<bool> aware = mpi_takes_memory_of(runner.site().device.description());
  if (!aware.value_or(false))
    found.remarks.push_back(aware ? "this MPI says that it does not take a GPU's memory: no direct "
                                    "halos"
                                  : "this MPI does not say whether it takes a GPU's memory");
}

}  // namespace

Preflight preflight(Session& session, CaseRunner& runner, const Suite& suite, double hours,
                    const std::string& folder, double time_limit_s, const AcceptFolder* begun,
                    std::vector<std::unique_ptr<PreparedCase>>& cases) {
  Preflight found;
  std::vector<std::unique_ptr<PreparedCase>> kept;
  std::set<std::string> crowded;
  std::size_t records = 0;
  Done done;
  agree_on_errors(session.world(), [&] {
    if (session.rank() == 0 && begun != nullptr && !suite.until_time) done = done_in(*begun);
  });
  for (std::unique_ptr<PreparedCase>& one : cases) {
    try {
      const double built_s = build_once(session, runner, *one, crowded);
      const int plans = static_cast<int>(one->plans().size()), all = plans * one->from().repeats;
      const double left = std::max(0, all - done.records[one->from().place]);
      // Warm-ups, verification and probes come to about as much as half of the samples.
      found.predicted_s += left * (built_s / plans + 1.5 * (suite.verifies_twice() ? 2 : 1) *
                                                         one->from().time_budget_s);
      records += static_cast<std::size_t>(all);
      kept.push_back(std::move(one));
    } catch (const std::exception& error) {
      if (!refuses_a_case(session, error)) throw;
      const std::string message = message_of(error), place = one->from().place;
      const std::string text =
          message.starts_with(place) ? message : fmt::format("{}: {}", place, message);
      found.remarks.push_back((one->from().optional ? "left out: " : "does not run: ") + text);
      if (one->from().optional) {
        found.left_out.push_back(one->from().key);
        continue;
      }
      found.of_input = found.of_input && status_of(error) == ExitStatus::bad_input;
      found.unfit.emplace_back(std::move(one), text);
    }
  }
  cases = std::move(kept);
  const CalibrationLimits limits = suite.calibration.quick ? quick_limits() : full_limits();
  if (!done.calibrated)
    found.predicted_s += suite.calibration.time_budget_s > 0 ? suite.calibration.time_budget_s
                                                             : limits.time_budget_s;
  found.predicted_s +=
      std::max(0, suite.siblings.occasions - done.occasions) * 6 * suite.siblings.sample_s;
  if (suite.until_time) found.predicted_s = std::max(found.predicted_s, 3600 * hours);
  look_at_layout(session, runner, std::move(crowded), found);
  look_at_hosts(session, runner, suite, found);
  found.limit_s = time_limit_s < 0 ? batch_limit_s() : time_limit_s;
  double space = 0;
  if (session.rank() == 0) {
    std::error_code error;
    const std::filesystem::space_info disk = std::filesystem::space(folder, error);
    space = error ? HUGE_VAL : static_cast<double>(disk.available);
  }
  space = from_first_rank(session.world(), space);
  found.limit_s = from_first_rank(session.world(), found.limit_s);
  found.predicted_s = from_first_rank(session.world(), found.predicted_s);
  const double needed = bytes_needed(session, suite, records);
  if (space < needed) {
    found.problems.push_back(fmt::format("disk of {}: {:.3g} MB are needed, {:.3g} MB are free",
                                         folder, needed / 1e6, space / 1e6));
    found.of_input = false;
  }
  if (found.limit_s > 0 && found.predicted_s > found.limit_s) {
    found.problems.push_back(fmt::format(
        "time: the suite takes about {}, the job has {} (a longer job, a shorter suite, "
        "or --time-limit 0 and --resume in a second job)",
        minutes(found.predicted_s), minutes(found.limit_s)));
    found.of_input = false;
  }
  return found;
}

std::string preflight_text(const Preflight& found, const Suite& suite) {
  std::string text =
      fmt::format("preflight: suite {}, about {}{}\n", suite.name, minutes(found.predicted_s),
                  found.limit_s > 0 ? " of " + minutes(found.limit_s) : "");
  for (const std::string& remark : found.remarks) text += "  note: " + remark + "\n";
  return text;
}

}  // namespace bellwether
