// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "microbench/driver/bench_case.hpp"
#include "microbench/driver/calibrate.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/driver/node_health.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/strict_json.hpp"
#include "models/replace_file.hpp"
#include "results/acceptance/judge.hpp"
#include "results/changes/change.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"
#include "run/command/accept/accept_folder.hpp"
#include "run/command/accept/measure_siblings.hpp"
#include "run/command/accept/preflight.hpp"
#include "run/command/accept/suite.hpp"
#include "run/command/report/report_files.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class AcceptCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add("--suite", &suite_name_,
                 "quick, standard, burn-in (with --hours), or a suite file",
                 {.shows_default = true});
    options_.add("--hours", &hours_, "How long burn-in repeats its cases, in all sittings together",
                 {.check = positive_number()});
    options_.add("--baseline", &baseline_names_,
                 "Earlier accept folders of the same layout; also results or machine files",
                 {.type = "DIR|FILE..."});
    options_.add("--spec", &spec_name_, "Limits of the vendor to hold the machine against",
                 {.type = "FILE", .check = not_empty("a file")});
    options_.add_flag("--preflight", preflight_alone_,
                      "Look whether the suite can run here, say it, and measure nothing");
    options_.add_flag("--resume", resume_, "Go on in a folder where an acceptance was cut short");
    options_.add("--judge", &judge_alone_,
                 "Judge again what the folder holds, and measure nothing: needs no MPI",
                 {.excludes = {"--preflight", "--resume"}});
    options_.add_flag("--no-report", no_report_, "Leave report.html out");
    options_.add("--time-limit", &time_limit_s_,
                 "Seconds that the suite may take, in place of what the batch system "
                 "leaves; 0: no limit",
                 {.check = non_negative_number()});
    add_backend();
    stall_limit_s_ = 120;
    add_stall_limit();
    options_.add("-o,--output", &folder_.path, "Folder for the verdict and its evidence",
                 {.type = "DIR", .check = not_empty("a folder"), .required = true});
    add_progress();
    options_.add_flag("--json", json_, "Print verdict.json in place of the screen's text");
    verb_ = &program.add_verb(
        "accept",
        "Judge whether an allocation is as fast as it should be. If not, which node and which "
        "part: calibrates, runs a suite, judges every result, and says so on one screen. Exit "
        "status 1: a wrong result; 4: the verdict is fail or incomplete");
    verb_->show_examples(
        "  mpirun -n 128 bellwether accept -o accepted\n"
        "  mpirun -n 128 bellwether accept --suite standard --baseline accepted -o later\n"
        "  bellwether accept --judge accepted --spec vendor.json -o judged");
    verb_->add(options_);
  }
  [[nodiscard]] bool is_parallel() const override { return !judge_alone_; }

  ExitStatus run(CommandLine command_line) override {
    if (judge_alone_) {
      const Manifest manifest = read_manifest(folder_.manifest());
      return judge(read_expectations(manifest.suite, manifest.layout), {});
    }
    return with_session(command_line, backend_, stall_limit_s_,
                        [&](Session& session, Heartbeat& heartbeat) {
                          return accept(session, heartbeat, command_line);
                        });
  }

 private:
  ExitStatus accept(Session& session, Heartbeat& heartbeat, CommandLine command_line) {
    const double begin_s = clock_s();
    const Suite suite = agreed_suite(session);
    Progress progress(progress_, session.rank());
    CaseRunner runner(
        session, heartbeat, backend_, command_line.words(),
        {.verify_twice = suite.verifies_twice(), .probe = true, .progress = &progress});
    Manifest manifest{suite,
                      {session.size(), session.nodes(), session.most_ranks_on_a_node(),
                       runner.site().device.description()},
                      {},
                      {}};
    Expectations expected;
    std::vector<std::unique_ptr<PreparedCase>> cases = prepared(suite, session);
    double earlier_s = 0;
    std::optional<TakenFolder> taken;
    agree_on_errors(session.world(), [&] {
      if (session.rank() != 0) return;
      expected = read_expectations(suite, manifest.layout);
      taken.emplace(folder_, manifest, resume_);
      if (fs::exists(folder_.machine())) expected.refuse_on(read_machine(folder_.machine()));
      if (resume_ && suite.until_time) earlier_s = folder_.burn_in_s();
    });
    earlier_s = from_first_rank(session.world(), earlier_s);
    Preflight found = preflight(session, runner, suite, std::max(0.0, hours_ - earlier_s / 3600),
                                folder_.path, time_limit_s_, resume_ ? &folder_ : nullptr, cases);
    if (session.rank() == 0 && !json_) std::cout << preflight_text(found, suite) << std::flush;
    refuse(session, found, preflight_alone_ || cases.empty());
    if (preflight_alone_) {
      if (session.rank() == 0 && !json_) std::cout << "  nothing is in the way" << std::endl;
      return ExitStatus::success;
    }
    manifest.left_out = found.left_out;
    agree_on_errors(session.world(), [&] {
      if (taken) taken->begin(manifest);
    });
    const Machine machine = calibrated(session, heartbeat, suite, progress);
    agree_on_errors(session.world(), [&] {
      if (session.rank() == 0) expected.refuse_on(machine);
    });
    runner.predict_on(&machine, "machine.json");
    for (const auto& [one, why] : found.unfit)
      keep(session,
           runner.not_run(one->app(), plan_of(*one), request(runner, *one, plan_of(*one)), why));
    run_suite(session, heartbeat, runner, suite, cases, begin_s - earlier_s);
    progress.clear();
    const HealthFindings health = look_at_health(session, runner.gpu(), suite.health);
    for (const std::string& warning : health.warnings)
      if (std::find(found.remarks.begin(), found.remarks.end(), warning) == found.remarks.end())
        found.remarks.push_back("after the suite: " + warning);
    ExitStatus status = ExitStatus::success;
    agree_on_errors(session.world(), [&] {
      if (session.rank() != 0) return;
      keep_unhealthy(health.failures);
      status = judge(expected, found.remarks);
    });
    return from_first_rank(session.world(), status);
  }

  Suite agreed_suite(const Session& session) const {
    std::string text, name;
    agree_on_errors(session.world(), [&] {
      if (session.rank() == 0) std::tie(text, name) = find_suite(suite_name_);
    });
    text = from_rank(session.world(), 0, text);
    name = from_rank(session.world(), 0, name);
    Suite suite;
    agree_on_errors(session.world(), [&] {
      suite = read_suite(text, name);
      if (suite.until_time != (hours_ > 0))
        throw BadInput(
            suite.until_time
                ? fmt::format("--hours: found none, expected how long suite {} repeats", suite.name)
                : fmt::format("--hours: suite {} does not repeat until a time", suite.name));
    });
    return suite;
  }

  /// What somebody else holds the results against, as the command line names it.
  struct Expectations {
    std::vector<Baseline> baselines;
    std::optional<Specification> spec;

    /// Throws BadInput for a limit of a parameter that this machine does not have.
    void refuse_on(const Machine& machine) const {
      if (spec) (void)judge_specified(*spec, to_json(machine), {});
    }
  };

  [[nodiscard]] Expectations read_expectations(const Suite& suite, const RankLayout& layout) const {
    Expectations expected;
    for (const std::string& name : baseline_names_)
      expected.baselines.push_back(read_baseline(name, layout));
    if (spec_name_.empty()) return expected;
    std::vector<std::string> apps;
    for (const SuiteCase& one : suite.cases)
      if (std::find(apps.begin(), apps.end(), one.app) == apps.end()) apps.push_back(one.app);
    expected.spec = read_specification(read_json_file(spec_name_), spec_name_, apps);
    return expected;
  }

  /// Collective. All that cannot be read at once.
  static std::vector<std::unique_ptr<PreparedCase>> prepared(const Suite& suite,
                                                             const Session& session) {
    std::vector<std::unique_ptr<PreparedCase>> cases;
    std::string wrong;
    for (const SuiteCase& one : suite.cases) try {
        cases.push_back(std::make_unique<PreparedCase>(one, session.size()));
      } catch (const BadInput& error) {
        wrong.append(wrong.empty() ? "" : "\n  ").append(error.what());
      }
    agree_on_errors(session.world(), [&] {
      if (!wrong.empty()) throw BadInput(wrong);
    });
    return cases;
  }

  /// All problems at once, with `also_unfit` cases that cannot run. Throws as they are: of input,
  /// or of the environment.
  static void refuse(const Session& session, const Preflight& found, bool also_unfit) {
    std::vector<std::string> problems = found.problems;
    if (also_unfit || !problems.empty())
      for (const auto& [one, why] : found.unfit) problems.push_back(why);
    if (problems.empty()) return;
    const std::string text = fmt::format("preflight:\n  {}", fmt::join(problems, "\n  "));
    agree_on_errors(session.world(), [&] {
      if (found.of_input) throw BadInput(text);
      throw BadEnvironment(text);
    });
  }

  /// Collective. The folder's own if it holds one, else measured now.
  Machine calibrated(Session& session, Heartbeat& heartbeat, const Suite& suite,
                     Progress& progress) {
    if (from_first_rank(session.world(), fs::exists(folder_.machine()) ? 1 : 0) == 0) {
      CalibrateOptions options = suite.calibration;
      options.backend = backend_;
      options.progress = &progress;
      options.heartbeat = &heartbeat;
      SampleStore samples;
      Machine machine = calibrate(session, options, &samples);
      agree_on_errors(session.world(), [&] {
        if (session.rank() != 0) return;
        machine.provenance["samples"] = "machine.samples.json";
        replace_file(folder_.file("machine.samples.json"), to_json(samples).dump());
        write_machine(folder_.machine(), machine);
      });
    }
    return *agreed_machine(session, folder_.machine());
  }

  /// Collective. What one round of all cases lacks of its occasions is taken between the cases, so
  /// that a passing disturbance meets some of them and a slow rank all. `begin_s`: on clock_s(),
  /// when the acceptance began; of one that goes on, as if it had never been cut short.
  void run_suite(Session& session, Heartbeat& heartbeat, CaseRunner& runner, const Suite& suite,
                 const std::vector<std::unique_ptr<PreparedCase>>& cases, double begin_s) {
    int rounds = 1, slots = 0;
    agree_on_errors(session.world(), [&] {
      if (resume_ && session.rank() == 0) finished_ = FinishedCases(folder_.results());
    });
    for (const auto& one : cases) {
      runner.look_at_files(one->app());
      rounds = std::max(rounds, one->from().repeats);
      slots += one->from().repeats * static_cast<int>(one->plans().size());
    }
    int slot = 0,
        taken = from_first_rank(
            session.world(),
            session.rank() == 0 ? static_cast<int>(read_siblings(folder_.siblings()).size()) : 0);
    const auto catch_up = [&](int wanted) {
      for (; taken < wanted; ++taken) {
        const SiblingOccasion occasion =
            measure_siblings(session, runner.site().device, heartbeat, suite.siblings, taken);
        agree_on_errors(session.world(), [&] {
          if (session.rank() == 0) append_line(folder_.siblings(), to_json(occasion));
        });
      }
    };
    const auto time_is_left = [&] {
      return from_first_rank(session.world(), clock_s() - begin_s < 3600 * hours_ ? 1 : 0) != 0;
    };
    // One round at least, that there be something to judge.
    for (int round = 0; round == 0 || (suite.until_time ? time_is_left() : round < rounds); ++round)
      for (const auto& one : cases) {
        if (!suite.until_time && round >= one->from().repeats) continue;
        for (const CasePlan& plan : one->plans()) {
          ++slot;
          catch_up(suite.until_time ? slot : (suite.siblings.occasions * slot + slots - 1) / slots);
          run_plan(session, runner, *one, plan, round,
                   suite.until_time ? std::optional(begin_s) : std::nullopt);
        }
      }
    catch_up(suite.until_time ? 1 : suite.siblings.occasions);
  }

  /// As its suite asks for it, where no options were read.
  static CasePlan plan_of(const PreparedCase& one) {
    return {one.from().problem, one.from().options, nullptr};
  }
  static json request(const CaseRunner& runner, const PreparedCase& one, const CasePlan& plan) {
    json asked = runner.request(one.app(), plan, "auto");
    asked["case"] = one.from().place;
    return asked;
  }
  /// Collective.
  void keep(const Session& session, const Record& record) const {
    agree_on_errors(session.world(), [&] {
      if (session.rank() == 0) append_record(folder_.results(), record);
    });
  }

  void run_plan(Session& session, CaseRunner& runner, const PreparedCase& one, const CasePlan& plan,
                int round, std::optional<double> burn_in_begin_s) {
    const json asked = request(runner, one, plan);
    if (from_first_rank(session.world(), finished_.count(asked)) > round) return;
    runner.use_time_budget(one.from().time_budget_s);
    std::unique_ptr<Case> built;
    try {
      built = runner.build(plan);
    } catch (const std::exception& error) {
      if (!refuses_a_case(session, error)) throw;
      return keep(session, runner.not_run(one.app(), plan, asked, message_of(error)));
    }
    const double start_s = clock_s(), waited_s = waited_for_core_s().value_or(0);
    auto [record, error] = runner.run(one.app(), *built, asked);
    const double share = (waited_for_core_s().value_or(0) - waited_s) / (clock_s() - start_s);
    std::vector<double> shares(static_cast<std::size_t>(session.size()));
    MPI_Gather(&share, 1, MPI_DOUBLE, shares.data(), 1, MPI_DOUBLE, 0, session.world());
    // Ranks that share cores wait for one another.
    if (waited_for_core_s() && !record.oversubscribed)
      record.provenance["waited_for_core"] = shares;
    record.provenance["judge"] = one.from().judge;
    if (burn_in_begin_s) record.provenance["burn_in_s"] = clock_s() - *burn_in_begin_s;
    keep(session, record);
  }

  /// For whoever judges the folder again.
  void keep_unhealthy(const std::vector<std::string>& sentences) const {
    Manifest manifest = read_manifest(folder_.manifest());
    if (manifest.unhealthy == sentences) return;
    manifest.unhealthy = sentences;
    replace_file(folder_.manifest(), to_json(manifest).dump(1) + "\n");
  }

  /// Judges the folder's files and writes what follows from them. On rank 0.
  ExitStatus judge(const Expectations& expected, std::vector<std::string> remarks) const {
    const Manifest manifest = read_manifest(folder_.manifest());
    const Suite& suite = manifest.suite;
    Material material = suite.material;
    material.source += fmt::format(" ({}, /suite/material)", folder_.manifest());
    Baseline now{folder_.path, folder_.records(),
                 fs::exists(folder_.machine()) ? to_json(read_machine(folder_.machine())) : json(),
                 read_siblings(folder_.siblings())};
    Acceptance acceptance = judge_acceptance(
        now, manifest.layout, {suite.name, suite.false_alarm_rate, material, asked_of(manifest)},
        expected.baselines, expected.spec);
    for (const std::string& sentence : manifest.unhealthy)
      acceptance.findings.push_back({.kind = "healthy",
                                     .subject = sentence.substr(0, sentence.find(": ")),
                                     .quantity = "health",
                                     .verdict = Verdict::fail,
                                     .sentence = sentence});
    acceptance.sort();
    acceptance.remarks = std::move(remarks);
    const std::string verdict_file = folder_.file("verdict.json");
    replace_file(verdict_file, to_json(acceptance).dump(1) + "\n");
    if (!no_report_) try {
        write_report({folder_.path}, folder_.file("report.html"),
                     fmt::format("Acceptance: {}", verdict_word(acceptance.verdict())));
        acceptance.evidence.emplace_back("report.html");
      } catch (const BadEnvironment& error) {
        acceptance.remarks.push_back(fmt::format("report.html was not made: {}", error.what()));
        replace_file(verdict_file, to_json(acceptance).dump(1) + "\n");
      }
    replace_file(folder_.file("junit.xml"), junit_text(acceptance));
    if (json_)
      std::cout << to_json(acceptance).dump(2) << std::endl;
    else
      std::cout << verdict_text(acceptance, folder_.path) << std::flush;
    return exit_status(acceptance.verdict());
  }

  AcceptFolder folder_;
  std::string suite_name_ = "quick", spec_name_;
  std::vector<std::string> baseline_names_;
  double hours_ = 0, time_limit_s_ = -1;
  FinishedCases finished_;  ///< on rank 0, of the acceptance that is resumed
  bool preflight_alone_ = false, resume_ = false, judge_alone_ = false, no_report_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_accept_command() { return std::make_unique<AcceptCommand>(); }

}  // namespace bellwether
