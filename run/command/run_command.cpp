// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "miniapps/comm/device_checks.hpp"
#include "miniapps/driver/option_checks.hpp"
#include "miniapps/driver/registry.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "models/machine/machine_json.hpp"
#include "results/comparison.hpp"
#include "results/provenance.hpp"
#include "run/command/run_provenance.hpp"
#include "run/command/with_session.hpp"

namespace bellwether {
namespace {

class RunCommand final : public Subcommand {
 public:
  void add_to(CLI::App& program) override {
    verb_ =
        program.add_subcommand("run", "Run a mini-app, verify it, print predicted beside measured");
    verb_->require_subcommand(1);
    for (auto& entry : mini_apps()) {
      CLI::App* app = verb_->add_subcommand(entry->name(), entry->summary());
      entry->add_problem_options(*app);
      entry->add_run_options(*app);
      add_run_options(*app, steps_option(*entry));
      choices_.push_back({app, std::move(entry)});
    }
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine command_line) override {
    for (Choice& choice : choices_)
      if (choice.parsed->parsed()) return run_app(*choice.entry, command_line);
    return ExitStatus::internal_fault;
  }

 private:
  struct Choice {
    CLI::App* parsed;
    std::unique_ptr<MiniAppEntry> entry;
  };

  /// The timed steps are asked for by what the application calls them.
  static std::string steps_option(const MiniAppEntry& entry) {
    return fmt::format("--{}s", entry.step_name());
  }

  void add_run_options(CLI::App& app, const std::string& steps_option) {
    const auto one_of = [](std::vector<std::string> names) {
      return CLI::IsMember(std::move(names));
    };
    app.add_option("--overlap", overlap_, "Hide communication behind computation: off, on or both")
        ->capture_default_str()
        ->check(one_of({"off", "on", "both"}));
    app.add_option("--backend", variant_.backend, "kokkos or cuda")->capture_default_str();
    app.add_option("--halo", variant_.halo,
                   "staged: through host memory; direct: MPI is given device memory")
        ->capture_default_str()
        ->check(one_of({"staged", "direct"}));
    app.add_option(
           "--stores", variant_.stores,
           "On a CPU: cached, streaming (past the cache), or auto: the faster, by measurement")
        ->capture_default_str()
        ->check(one_of({"auto", "cached", "streaming"}));
    app.add_option("--rate", variant_.rate,
                   "What predictions take a rank's rate from: roofline (the machine alone) or "
                   "measured (the kernel, timed in this run)")
        ->capture_default_str()
        ->check(one_of({"roofline", "measured"}));
    app.add_option(steps_option, steps_,
                   fmt::format("auto, or exactly so many timed {}", steps_option.substr(2)))
        ->capture_default_str();
    app.add_option("--time-budget", options_.time_budget_s,
                   "Seconds after which auto ends the timed samples of a case")
        ->capture_default_str()
        ->check(positive_number());
    app.add_option("--repeats", repeats_, "Run each case so many times, a record each")
        ->capture_default_str()
        ->check(whole_number(1, 1000));
    app.add_flag("--probe", options_.probe,
                 "Measure between the samples how fast the machine is now (shared machines)");
    app.add_option("--machine", machine_name_,
                   "Machine file, or the name of a shipped machine; without it machine.json here")
        ->check(not_empty("a file or the name of a shipped machine"));
    app.add_option("--stall-limit", stall_limit_s_,
                   "Seconds without progress after which the run is ended; 0: never")
        ->capture_default_str()
        ->check(non_negative_number());
    CLI::Option* const output =
        app.add_option("-o,--output", outputs_,
                       "Results file: one JSON record a line, appended; or, named FILE.vti, a "
                       "picture of the last state (lbm; airfoil: FILE.vtu). May be given for each")
            ->type_name("FILE")
            ->allow_extra_args(false)
            ->check(not_empty("a file"));
    app.add_flag("--resume", resume_,
                 "Leave out the cases that the results file already holds, verified")
        ->needs(output);
    app.add_flag("--json", json_, "Print one JSON document instead of tables");
  }

  ExitStatus run_app(MiniAppEntry& entry, CommandLine command_line) {
    read_steps(steps_option(entry));
    sort_outputs(entry);
    return with_session(command_line, stall_limit_s_, [&](Session& session, Heartbeat& heartbeat) {
      return run_cases(entry, session, heartbeat, command_line);
    });
  }

  ExitStatus run_cases(const MiniAppEntry& entry, Session& session, Heartbeat& heartbeat,
                       CommandLine command_line) {
    check(entry, session);
    std::unique_ptr<Device> device;
    const std::optional<Machine> machine = agreed_machine(session);
    agree_on_errors(session.world(), [&] {
      if (!output_.empty() && session.rank() == 0) check_appendable(output_);
      device = open_device(variant_.backend, session.local_rank());
    });
    const Machine* known = machine ? &*machine : nullptr;
    const nlohmann::json provenance = run_provenance(session, *device, command_line.words());
    nlohmann::json printed = nlohmann::json::array();
    bool all_right = true;
    std::exception_ptr picture_error;
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      for (const bool overlap : overlap_modes()) {
        variant_.overlap = overlap;
        const nlohmann::json asked = request(entry, session);
        if (finished(asked, session) > repeat) continue;
        heartbeat.enter("build");
        const auto app = build(entry, session, *device, heartbeat, known);
        CaseResult result = run_case(session, *app, heartbeat, options_, known);
        if (!picture_error) picture_error = result.picture_error;
        Record& record = result.record;
        record.app = entry.name();
        if (known != nullptr) record.machine = machine_label();
        record.provenance = provenance;
        record.provenance["time"] = utc_time();
        record.provenance["request"] = asked;
        all_right = all_right && record.verification.passed;
        agree_on_errors(session.world(), [&] {
          if (session.rank() == 0) publish(record, app->title(), printed);
        });
      }
    }
    if (session.rank() == 0 && json_)
      std::cout << nlohmann::json{{"records", printed}}.dump(2) << std::endl;
    if (picture_error) std::rethrow_exception(picture_error);
    return all_right ? ExitStatus::success : ExitStatus::verification_failed;
  }

  /// Collective: a file that the problem names may lack on one node alone.
  static void check(const MiniAppEntry& entry, const Session& session) {
    agree_on_errors(session.world(), [&] {
      try {
        entry.check();
      } catch (const BadInput& error) {
        if (session.rank() == 0) throw;
        throw BadInput(fmt::format("{} (on {})", error.what(), session.host()));
      }
    });
  }

  /// Rank 0's machine on every rank: a machine.json need not lie on every node.
  [[nodiscard]] std::optional<Machine> agreed_machine(Session& session) const {
    std::string text;
    agree_on_errors(session.world(), [&] {
      if (session.rank() != 0) return;
      if (const auto found = machine_for_run(machine_name_)) text = to_json(*found).dump();
    });
    unsigned long long length = text.size();
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, session.world());
    text.resize(length);
    MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, session.world());
    if (text.empty()) return {};
    return parse_machine(nlohmann::json::parse(text), machine_label());
  }

  /// The mini-app, known to be predictable on the machine before anything is timed. A machine.json
  /// that nobody asked for and that lacks a link is left out, loudly; `known` is null then.
  [[nodiscard]] std::unique_ptr<MiniApp> build(const MiniAppEntry& entry, Session& session,
                                               Device& device, Heartbeat& heartbeat,
                                               const Machine*& known) const {
    try {
      auto app = entry.build(session, device, variant_, known, heartbeat);
      if (known != nullptr) (void)app->predict(*known);
      return app;
    } catch (const BadInput& error) {
      if (known == nullptr || !machine_name_.empty()) throw;
      if (session.rank() == 0)
        fmt::print(stderr, "bellwether: machine.json is left out, nothing is predicted: {}\n",
                   error.what());
      known = nullptr;
    }
    return entry.build(session, device, variant_, nullptr, heartbeat);
  }

  /// A case as it was asked for.
  [[nodiscard]] nlohmann::json request(const MiniAppEntry& entry, const Session& session) const {
    return {
        {"app", entry.name()},         {"ranks", session.size()},     {"problem", entry.request()},
        {"backend", variant_.backend}, {"overlap", variant_.overlap}, {"halo", variant_.halo},
        {"stores", variant_.stores},   {"rate", variant_.rate},       {"steps", steps_},
        {"probe", options_.probe},     {"machine", machine_name_}};
  }
  /// Collective: how many records of the case there are by now, which --resume need not repeat. The
  /// n-th repeat runs if there are fewer than n.
  [[nodiscard]] int finished(const nlohmann::json& asked, Session& session) {
    if (!resume_) return 0;
    int count = 0;
    agree_on_errors(session.world(), [&] {
      if (session.rank() == 0) count = count_finished(output_, asked);
    });
    MPI_Bcast(&count, 1, MPI_INT, 0, session.world());
    return count;
  }

  void publish(const Record& record, const std::string& title, nlohmann::json& printed) const {
    if (!output_.empty()) append_record(output_, record);
    if (json_)
      printed.push_back(to_json(record));
    else
      std::cout << format_table(record, title) << std::endl;
  }

  /// Tells pictures from results files by their names' endings.
  void sort_outputs(MiniAppEntry& entry) {
    output_.clear();
    bool pictured = false;
    for (const std::string& file : outputs_) {
      std::string ending = std::filesystem::path(file).extension();
      std::transform(ending.begin(), ending.end(), ending.begin(),
                     [](unsigned char letter) { return std::tolower(letter); });
      const bool is_picture = ending == ".vti" || ending == ".vtu";
      if (is_picture && ending != entry.picture_ending())
        throw BadInput(fmt::format("--output: found '{}', a picture, which {} does not write", file,
                                   entry.name()));
      if (is_picture ? pictured : !output_.empty())
        throw BadInput(fmt::format("--output: found '{}', a second {}, expected one", file,
                                   is_picture ? "picture" : "results file"));
      if (is_picture)
        entry.ask_for_picture(file);
      else
        output_ = file;
      pictured = pictured || is_picture;
    }
    if (resume_ && output_.empty())
      throw BadInput("--resume: found no results file, expected --output FILE");
  }
  void read_steps(const std::string& option) {
    if (steps_ == "auto") return;
    const char* const end = steps_.data() + steps_.size();
    const auto read = std::from_chars(steps_.data(), end, options_.steps);
    if (read.ec != std::errc() || read.ptr != end || options_.steps < 1)
      throw BadInput(
          fmt::format("{}: found '{}', expected auto or a number of at least 1", option, steps_));
  }
  [[nodiscard]] std::vector<bool> overlap_modes() const {
    if (overlap_ == "both") return {false, true};
    return {overlap_ == "on"};
  }
  [[nodiscard]] std::string machine_label() const {
    return machine_name_.empty() ? "machine.json" : machine_name_;
  }

  CLI::App* verb_ = nullptr;
  std::vector<Choice> choices_;
  Variant variant_;
  RunOptions options_;
  std::string overlap_ = "both", steps_ = "auto", machine_name_, output_;
  std::vector<std::string> outputs_;  ///< output_ and a picture
  int repeats_ = 1;
  double stall_limit_s_ = 60;
  bool json_ = false, resume_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace bellwether
