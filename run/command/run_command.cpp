// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/driver/app.hpp"
#include "miniapps/driver/node_health.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "models/text_lines.hpp"
#include "results/comparison.hpp"
#include "results/record_lines.hpp"
#include "run/command/case_runner.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class RunCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb("run", "Run a mini-app, verify it, print predicted beside measured");
    add_options();
    const char* const example =
        "  mpirun -n 4 bellwether run {0} {1} --overlap both -o results.jsonl\n"
        "  mpirun -n 4 bellwether run {0} {1} --machine machine.json --probe";
    choices_.add_to(*verb_, options_, example, [this](App& app, Options& options) {
      app.add_run_options(options);
      const auto& all = options.all();
      if (std::none_of(all.begin(), all.end(),
                       [](const Option& option) { return option.names == "--scaling"; }))
        add_scaling(scaling_, options);
      options.add(steps_option(app), &steps_,
                  fmt::format("auto, or exactly so many timed {}s", app.step_name()),
                  {.shows_default = true, .group = "Measuring"});
    });
  }
  [[nodiscard]] bool is_parallel() const override { return true; }

  ExitStatus run(CommandLine command_line) override {
    App& app = *choices_.given().app;
    read_steps(steps_option(app));
    if (!noise_.empty()) run_.noise = read_noise_law("--inject-noise", noise_);
    run_.verify_twice = verify_ == "twice";
    return run_app(app, command_line);
  }

 private:
  /// The timed steps are asked for by what the application calls them, in one word: a solve cycle
  /// as --cycles.
  static std::string steps_option(const App& app) {
    const std::string name = app.step_name();
    return fmt::format("--{}s", name.substr(name.rfind(' ') + 1));
  }

  /// Those of every application.
  void add_options() {
    options_.begin_group("Variant");
    add_backend();
    options_.begin_group("Measuring");
    options_.add("--machine", &machine_name_,
                 "Machine file, or the name of a shipped machine; without it machine.json here",
                 {.check = not_empty("a file or the name of a shipped machine")});
    options_.add("--time-budget", &run_.time_budget_s,
                 "Seconds after which auto ends the timed samples of a case",
                 {.check = positive_number(), .shows_default = true});
    options_.add("--repeats", &repeats_, "Run each case so many times, a record each",
                 {.check = whole_number(1, 1000), .shows_default = true});
    options_.add_choice("--verify", verify_, {"once", "twice"},
                        "twice: also take the same steps again, untimed, which must end in the "
                        "same bits: what happened in one of both shows");
    options_.add_flag("--probe", run_.probe,
                      "Measure between the samples how fast the machine is now (shared machines)");
    options_.add_choice(
        "--shared-stores", shared_stores_, {"auto", "cached", "streaming"},
        "Stores with which a CPU writes what other ranks of its node read, past the "
        "caches or not; auto: as is measured faster before each case",
        "Expert");
    options_.add(
        "--inject-noise", &noise_,
        "Spin after each piece of work as KIND:RATE:MEAN[:RANK] says, to hold "
        "models of noise against: exponential or constant, detours a second (Hz), seconds "
        "of one, the only rank that has them",
        {.type = "LAW", .check = not_empty("a law, as exponential:100:1e-3"), .group = "Expert"});
    options_.add_choice("--per-rank", per_rank_, {"auto", "on", "off"},
                        "Each rank's own medians in the record; auto: of up to 4096 ranks",
                        "Output");
    add_stall_limit();
    options_.begin_group("Output");
    options_.add("-o,--output", &outputs_,
                 "Results file: one JSON record a line, appended; or, named FILE.vti, a "
                 "picture of the last state (lbm; airfoil: FILE.vtu). May be given for "
                 "each",
                 {.type = "FILE", .check = not_empty("a file"), .one_word_each = true});
    options_.add("--resume", &resume_,
                 "Leave out the cases that the results file already holds, verified",
                 {.needs = "--output"});
    options_.add_flag("--paper", paper_,
                      "Show the paper's form too, with its warnings; records have both anyway");
    add_progress();
    options_.add_flag("--json", json_, "Print one JSON document instead of tables");
  }

  ExitStatus run_app(App& app, CommandLine command_line) {
    sort_outputs(app);
    return with_session(command_line, backend_, stall_limit_s_,
                        [&](Session& session, Heartbeat& heartbeat) {
                          return run_cases(app, session, heartbeat, command_line);
                        });
  }

  ExitStatus run_cases(App& asked_app, Session& session, Heartbeat& heartbeat,
                       CommandLine command_line) {
    constexpr int most_ranks_told_apart = 4096;
    check_on_all(asked_app, session);
    std::unique_ptr<App> grown;
    agree_on_errors(session.world(), [&] {
      if (scaling_ == "weak") grown = asked_app.grown(session.size());
    });
    if (grown) check_on_all(*grown, session);
    App& app = grown ? *grown : asked_app;
    if (run_.noise && run_.noise->rank >= session.size())
      throw BadInput(fmt::format("--inject-noise: found rank {}, expected 0 to {}",
                                 run_.noise->rank, session.size() - 1));
    const std::optional<Machine> machine = agreed_machine(session, machine_name_);
    agree_on_errors(session.world(), [&] {
      if (!output_.empty() && session.rank() == 0) check_appendable(output_);
    });
    Progress progress(progress_, session.rank());
    RunOptions options = run_;
    options.progress = &progress;
    options.per_rank =
        per_rank_ == "on" || (per_rank_ == "auto" && session.size() <= most_ranks_told_apart);
    CaseRunner runner(session, heartbeat, backend_, command_line.words(), options);
    for (const Stores stores : {Stores::cached, Stores::streaming})
      if (shared_stores_ == name_of(stores)) runner.use_shared_stores(stores);
    runner.predict_on(machine ? &*machine : nullptr, machine_label(machine_name_));
    app.choose_for(runner.site().device);
    const std::vector<CasePlan> plans = app.cases();
    const std::vector<std::string> remarks = app.remarks(runner.site());
    runner.look_at_files(app);
    FinishedCases done;
    agree_on_errors(session.world(), [&] {
      if (resume_ && session.rank() == 0) done = FinishedCases(output_);
    });
    // Beyond a socket (NUMA distances of 10 to 12) copies to a GPU and back take longer.
    HealthFindings health;
    if (runner.gpu() != nullptr)
      health = look_at_health(session, runner.gpu(), {.warn = {{"gpu_distance", 15}}, .fail = {}});
    nlohmann::json printed = nlohmann::json::array();
    ExitStatus worst = ExitStatus::success;
    bool said = false;
    std::set<std::string> said_crowded;
    std::exception_ptr picture_error;
    std::vector<bool> refused(plans.size());
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      for (std::size_t number = 0; number < plans.size(); ++number) {
        const CasePlan& plan = plans[number];
        nlohmann::json asked = runner.request(app, plan, steps_);
        if (run_.verify_twice) asked["verify"] = verify_;
        if (!noise_.empty()) asked["inject_noise"] = noise_;
        if (shared_stores_ != "auto") asked["shared_stores"] = shared_stores_;
        if (finished(done, asked, session) > repeat) continue;
        if (refused[number]) continue;
        std::unique_ptr<Case> built;
        try {
          built = build(plan, runner);
        } catch (const std::exception& error) {
          // Another problem of a list may run.
          const bool alone = std::all_of(plans.begin(), plans.end(), [&](const CasePlan& other) {
            return other.problem == plan.problem;
          });
          if (alone || !refuses_a_case(session, error)) throw;
          refused[number] = true;
          note(status_of(error), worst);
          const Record record = runner.not_run(app, plan, asked, message_of(error));
          if (session.rank() == 0)
            say({fmt::format("case {} of {} did not run: {}", number + 1, plans.size(),
                             record.not_run)});
          agree_on_errors(session.world(), [&] {
            if (session.rank() == 0) publish(app, record, "", printed);
          });
          continue;
        }
        const std::string crowded = runner.crowded(*built);
        if (session.rank() == 0 && !std::exchange(said, true)) {
          say(remarks);
          if (runner.ranks_per_device() > 1)
            say({"SHARED DEVICE: " + shared_device_text(runner.ranks_per_device())});
          say(runner.remarks());
          say(health.warnings);
          if (!runner.energy_remark().empty()) say({runner.energy_remark()});
        }
        if (session.rank() == 0 && !crowded.empty() && said_crowded.insert(crowded).second)
          say({"OVERSUBSCRIBED: " + crowded +
               ": they wait, and no time is the machine's (look at the launcher's "
               "binding, the threads, and the job's limit of CPU time)"});
        const auto [record, error] = runner.run(app, *built, asked);
        if (!picture_error) picture_error = error;
        if (record.verification.passed)
          done.add(asked);
        else
          note(ExitStatus::verification_failed, worst);
        agree_on_errors(session.world(), [&, &kept = record] {
          if (session.rank() == 0) publish(app, kept, built->title(), printed);
        });
      }
    }
    if (session.rank() == 0 && json_)
      std::cout << nlohmann::json{{"records", printed}}.dump(2) << std::endl;
    if (picture_error) std::rethrow_exception(picture_error);
    return worst;
  }

  /// What is to be known of the cases, and what is not as it should be where the ranks compute.
  static void say(const std::vector<std::string>& remarks) {
    for (const std::string& remark : remarks) fmt::print(std::cerr, "bellwether: {}\n", remark);
  }

  /// The case, known to be predictable on the machine before anything is timed. A machine.json that
  /// nobody asked for and that lacks a link is left out, loudly; the site's is null then.
  [[nodiscard]] std::unique_ptr<Case> build(const CasePlan& plan, CaseRunner& runner) const {
    CaseSite& site = runner.site();
    const auto checked = [&] {
      auto built = runner.build(plan);
      if (run_.verify_twice && !built->protocol().repeats_to_the_bit)
        throw BadInput(
            "--verify: found twice, but this variant adds up in no order (atomics), so that the "
            "same steps need not end in the same bits: expected once, or another variant");
      return built;
    };
    try {
      auto built = checked();
      if (site.machine != nullptr) (void)built->predict(*site.machine);
      return built;
    } catch (const BadInput& error) {
      if (site.machine == nullptr || !machine_name_.empty()) throw;
      const Machine* const machine = std::exchange(site.machine, nullptr);
      try {
        auto built = checked();
        if (site.session.rank() == 0)
          say({fmt::format("machine.json is left out, nothing is predicted: {}", error.what())});
        return built;
      } catch (const std::exception&) {
        site.machine = machine;  // it is not to blame
        throw;
      }
    }
  }

  /// Collective: how many records of the case there are by now, which --resume need not repeat. The
  /// n-th repeat runs if there are fewer than n.
  [[nodiscard]] int finished(const FinishedCases& done, const nlohmann::json& asked,
                             const Session& session) const {
    if (!resume_) return 0;
    return from_first_rank(session.world(), session.rank() == 0 ? done.count(asked) : 0);
  }

  /// Without the paper's form, unless it is asked for or the only one.
  [[nodiscard]] Record shown(Record record) const {
    if (!paper_ && find_prediction(record, "refined") != nullptr)
      std::erase_if(record.predicted, [](const Prediction& one) { return one.form == "paper"; });
    return record;
  }

  void publish(const App& app, const Record& record, const std::string& title,
               nlohmann::json& printed) const {
    if (!output_.empty()) append_record(output_, record);
    if (json_)
      printed.push_back(to_json(record));
    else if (record.not_run.empty())
      std::cout << format_table(shown(record), title, app.step_name()) << app.lines_of(record)
                << (run_.noise ? noise_line_of(record.result.at("injected_noise")) : "")
                << std::endl;
  }

  /// Tells pictures from results files by their names' endings.
  void sort_outputs(App& app) {
    output_.clear();
    bool pictured = false;
    for (const std::string& file : outputs_) {
      std::string ending = std::filesystem::path(file).extension();
      std::transform(ending.begin(), ending.end(), ending.begin(),
                     [](unsigned char letter) { return std::tolower(letter); });
      const bool is_picture = ending == ".vti" || ending == ".vtu";
      if (is_picture && ending != app.picture_ending())
        throw BadInput(fmt::format("--output: found '{}', a picture, which {} does not write", file,
                                   app.name()));
      if (is_picture ? pictured : !output_.empty())
        throw BadInput(fmt::format("--output: found '{}', a second {}, expected one", file,
                                   is_picture ? "picture" : "results file"));
      if (is_picture)
        app.ask_for_picture(file);
      else
        output_ = file;
      pictured = pictured || is_picture;
    }
    if (resume_ && output_.empty())
      throw BadInput("--resume: found no results file, expected --output FILE");
  }
  void read_steps(const std::string& option) {
    if (steps_ == "auto") return;
    run_.steps = parse_number<long>(steps_).value_or(0);
    if (run_.steps < 1)
      throw BadInput(
          fmt::format("{}: found '{}', expected auto or a number of at least 1", option, steps_));
  }

  AppChoices choices_;
  RunOptions run_;
  std::string steps_ = "auto", per_rank_ = "auto", scaling_ = "strong", shared_stores_ = "auto",
              verify_ = "once";
  std::string machine_name_, output_, noise_;
  std::vector<std::string> outputs_;  ///< output_ and a picture
  int repeats_ = 1;
  bool resume_ = false, paper_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace bellwether
