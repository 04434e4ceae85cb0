// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "miniapps/comm/session/launcher.hpp"
#include "models/machine/added_link.hpp"
#include "models/machine/json_text.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/what_if.hpp"
#include "models/replace_file.hpp"
#include "models/text_lines.hpp"
#include "results/provenance.hpp"
#include "results/study/study.hpp"
#include "run/command/accept/accept_folder.hpp"
#include "run/command/fit/fit_report.hpp"
#include "run/command/predict/measured_points.hpp"
#include "run/command/predict/prediction_table.hpp"
#include "run/command/report/report_files.hpp"
#include "run/command/study/study_runs.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The option that holds a problem's size: --cells or --size.
bool is_size(const Option& option) {
  return option.names.ends_with("--cells") || option.names.ends_with("--size");
}

/// Gives the app that the option belongs to the size, along each axis: how many there are.
std::size_t set_size(const Option& option, long long size) {
  return std::visit(
      [&](auto target) -> std::size_t {
        using Target = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<Target, std::string>) {
          *target = std::to_string(size);
        } else if constexpr (requires { target->fill(1); }) {
          target->fill(static_cast<typename Target::value_type>(size));
          return target->size();
        } else if constexpr (std::is_integral_v<Target> && !std::is_same_v<Target, bool>) {
          *target = static_cast<Target>(size);
        } else {
          throw std::logic_error(option.names + " takes no size");
        }
        return 1;
      },
      option.target);
}

class StudyCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb(
        "study",
        "Run a mini-app over rank counts or sizes, and predict the rest. What the allocation has "
        "room for is run; a law of scaling is fitted to what was measured");
    options_.begin_group("Study");
    options_.add("-m,--machine", &machine_name_, "Machine file, or the name of a shipped machine",
                 {.required = true});
    options_.add("--ranks", &ranks_,
                 "Rank counts, as predict takes them; without it the powers of two up to 16 times "
                 "--slots");
    options_.add("--slots", &slots_,
                 "Rank counts up to this one are run, those above predicted alone; without it "
                 "Slurm's tasks, or the cores that this process may use",
                 {.check = whole_number(1, 1 << 30)});
    options_.add("--sizes", &sizes_,
                 "In place of --cells or --size: several, as 64,128,256, along each axis",
                 {.type = "N,...", .check = list_of(whole_number(1, 1 << 30))});
    add_scaling(scaling_);
    options_.add_choice("--overlap", overlap_, {"off", "on"}, "off or on");
    options_.add("--what-if", &what_if_, "As of predict: the same on a changed machine beside it",
                 {.type = "KEY=VALUE"});
    options_.add("--add-link", &added_links_,
                 "As of predict: a link that the machine lacks, for predictions",
                 {.type = "NAME=LATENCY,BANDWIDTH", .one_word_each = true});
    add_ranks_per_node(ranks_per_node_);
    add_backend();
    options_.add("--time-budget", &time_budget_, "Seconds, as of run",
                 {.type = "S", .check = positive_number()});
    options_.add("--launcher", &launcher_,
                 "What starts ranks, as words of a shell before their number",
                 {.type = "WORDS", .check = not_empty("a command"), .shows_default = true});
    options_.begin_group("Output");
    options_.add("-o,--output", &folder_,
                 "Folder for the records (results.jsonl), predictions, what runs print (run.log), "
                 "study.json and report.html: a new or an empty one",
                 {.type = "FOLDER", .check = not_empty("a folder"), .required = true});
    options_.add_flag("--resume", resume_,
                      "Go on in the folder: what it holds a verified record of is not run again");
    add_progress();
    options_.add_flag("--json", json_, "Print study.json (study.schema.json) instead of tables");
    const char* const example =
        "  bellwether study {0} {1} -m machine.json -o scaling\n"
        "  bellwether study {0} {1} -m machine.json --scaling weak --slots 8 -o weak";
    choices_.add_to(*verb_, options_, example, [](App& app, Options& options) {
      app.add_prediction_options(options);
      for (Option& option : options.all())
        if (is_size(option)) option.required = false;
    });
  }

  ExitStatus run(CommandLine) override {
    if (const auto ranks = launched().value_or(Launched{}).size; ranks > 1)
      throw BadInput(fmt::format(
          "study: found {} processes of a launcher, expected one: it starts ranks by --launcher",
          ranks));
    const AppChoice& choice = choices_.given();
    const auto size =
        std::find_if(choice.options.all().begin(), choice.options.all().end(), is_size);
    const std::string size_option = size->names.substr(size->names.rfind("--"));
    const std::string size_key = size_option.substr(2);
    if ((size->count > 0) == !sizes_.empty())
      throw BadInput(fmt::format("--sizes, {}: found {}, expected one of them", size_option,
                                 sizes_.empty() ? "neither" : "both"));
    slots_ = slots_ > 0 ? slots_ : allocated_ranks();
    RankSweep ranks = parse_rank_sweep(ranks_.empty() ? fmt::format("1:{}", 16L * slots_) : ranks_);
    ranks.weak = scaling_ == "weak";
    ranks.named.clear();  // what cannot be predicted is left out
    machine_ = find_machine(machine_name_);
    for (const std::string& link : added_links_) machine_ = add_link(machine_, link);
    changed_ = machine_;
    for (const std::string& text : what_if_)
      changes_.push_back(change(changed_, parse_what_if(text)));
    const json asked = asked_options(choice.options);
    const std::vector<std::string> sizes =
        sizes_.empty() ? std::vector<std::string>{""} : split(sizes_, ',');
    std::vector<Problem> problems;
    for (const std::string& one : sizes) {
      Problem problem{.asked = asked, .words = words_for_run(choice), .app = nullptr};
      if (!one.empty()) {
        const auto number = parse_number<long long>(one).value();
        const std::vector<long long> along(set_size(*size, number), number);
        problem.asked[size_key] = along.size() > 1 ? json(along) : json(number);
        problem.words.push_back(size_option);
        problem.words.insert(problem.words.end(), along.size(), one);
      }
      problem.app = choice.app->grown(1);  // of this size from here on
      problem.app->check();
      problems.push_back(std::move(problem));
    }
    if (!resume_) require_new_folder(folder_);
    make_folder(folder_);
    drop_torn_line(results());
    check_appendable(results());
    return study(problems, ranks);
  }

 private:
  struct Problem {
    json asked;
    std::vector<std::string> words;  ///< of `run APP`
    std::unique_ptr<App> app;
  };

  [[nodiscard]] std::string file(const std::string& name) const { return fs::path(folder_) / name; }
  [[nodiscard]] std::string results() const { return file("results.jsonl"); }

  /// The options that were given and that `run` has too, as it takes them.
  static std::vector<std::string> words_for_run(const AppChoice& choice) {
    Options known;
    for (const auto& app : apps())
      if (app->name() == std::string(choice.app->name())) {
        app->add_problem_options(known);
        app->add_run_options(known);
      }
    std::vector<std::string> words;
    for (const Option& option : choice.options.all()) {
      if (option.count == 0 ||
          std::none_of(known.all().begin(), known.all().end(),
                       [&](const Option& one) { return one.names == option.names; }))
        continue;
      words.push_back(option.names.substr(0, option.names.find(',')));
      if (!std::holds_alternative<bool*>(option.target))
        words.insert(words.end(), option.words.begin(), option.words.end());
    }
    return words;
  }

  [[nodiscard]] std::vector<std::string> command_of(const Problem& problem) const {
    std::vector<std::string> words{"run", problem.app->name()};
    words.insert(words.end(), problem.words.begin(), problem.words.end());
    words.insert(words.end(), {"--scaling", scaling_, "--overlap", overlap_, "--backend", backend_,
                               "--machine", machine_name_});
    if (!time_budget_.empty()) words.insert(words.end(), {"--time-budget", time_budget_});
    words.insert(words.end(), {"-o", results()});
    return words;
  }

  ExitStatus study(const std::vector<Problem>& problems, const RankSweep& ranks) {
    Progress progress(progress_, launched_rank());
    std::vector<StudyCurve> curves;
    std::vector<std::string> predictions;
    json document{{"schema", "bellwether.study/1"},
                  {"app", problems.front().app->name()},
                  {"step", problems.front().app->step_name()},
                  {"unit", problems.front().app->work().unit},
                  {"machine", machine_.name},
                  {"scaling", scaling_},
                  {"overlap", overlap_},
                  {"curves", json::array()}};
    std::string text;
    ExitStatus worst = ExitStatus::success;
    for (const Problem& problem : problems) {
      const PredictionSweep sweep(*problem.app, machine_, request(), ranks, progress);
      std::optional<ChangedSweep> changed;
      if (!changes_.empty())
        changed = ChangedSweep{changes_,
                               PredictionSweep(*problem.app, changed_, request(), ranks, progress)};
      StudyCurve curve{size_text(problem), {}};
      MeasuredPoints measured;
      for (const int count : ranks.counts) {
        StudyPoint point{.ranks = count};
        if (count <= slots_) {
          progress.show(fmt::format("{} {}, {} ranks", problem.app->name(), curve.size, count),
                        &count - ranks.counts.data(), std::ssize(ranks.counts));
          measure(problem, point, worst);
        }
        point.predicted = predicted(sweep, count);
        if (changed) point.what_if = predicted(changed->sweep, count);
        if (point.measured)
          measured.points.push_back({{"ranks", count},
                                     {"overlap", overlap_},
                                     {"total_s", point.measured->total_s},
                                     {"low_s", point.measured->low_s},
                                     {"high_s", point.measured->high_s}});
        curve.points.push_back(std::move(point));
      }
      json shown = to_json(curve);
      const LeftOut& left_out = sweep.left_out();
      shown["not_predicted"] = left_out.reason;
      document["curves"].push_back(shown);
      text +=
          fmt::format("{} {}, {} scaling, overlap {}: time per {}\n{}", problem.app->name(),
                      curve.size, scaling_, overlap_, problem.app->step_name(), study_table(curve));
      if (left_out.count > 0)
        text +=
            fmt::format("not predicted from {} ranks on: {}\n", left_out.first, left_out.reason);
      text += "\n";
      if (sweep.points().empty()) continue;
      predictions.push_back(file(fmt::format("prediction-{}.json", curve.size)));
      json asked = problem.asked;
      asked["scaling"] = scaling_;
      replace_file(predictions.back(), prediction_json(sweep, changed ? &*changed : nullptr, asked,
                                                       {{"measured", measured.json(results())}}));
    }
    progress.clear();
    add_fit(document, text);
    replace_file(file("study.json"), document.dump(1) + "\n");
    text += fmt::format("records: {}\n", results());
    try {
      if (fs::exists(results())) predictions.push_back(results());
      write_report(predictions, file("report.html"),
                   fmt::format("Study of {}", problems.front().app->name()));
      text += fmt::format("report: {}\n", file("report.html"));
    } catch (const BadEnvironment& error) {
      fmt::print(std::cerr, "bellwether: report.html was not made: {}\n", error.what());
    }
    std::cout << (json_ ? document.dump(2) + "\n" : text);
    return worst;
  }

  [[nodiscard]] PredictionRequest request() const {
    PredictionRequest request;
    request.overlap = {overlap_ == "on"};
    request.forms = {"refined"};
    request.ranks_per_node = ranks_per_node_ > 0 ? ranks_per_node_ : machine_.layout.ranks_per_node;
    return request;
  }

  static std::string size_text(const Problem& problem) {
    for (const char* key : {"cells", "size"})
      if (problem.asked.contains(key)) return json_words(problem.asked.at(key));
    return "-";
  }

  static std::optional<StudyTime> predicted(const PredictionSweep& sweep, int ranks) {
    const auto& points = sweep.points();
    const auto found = std::find_if(points.begin(), points.end(), [&](const ScalingPoint& point) {
      return point.ranks == ranks;
    });
    if (found == points.end()) return {};
    const Prediction& one = found->prediction;
    const auto runs = sweep.interval(*found);
    return StudyTime{one.total_s, runs ? runs->run.low_s : one.low_s,
                     runs ? runs->run.high_s : one.high_s, sweep.units(*found) / one.total_s};
  }

  /// Runs it where no record of it is there.
  void measure(const Problem& problem, StudyPoint& point, ExitStatus& worst) const {
    const std::vector<std::string> command = command_of(problem);
    if (resume_ && take(command, point)) return;
    const StudyRun ran = run_on_ranks(launcher_, point.ranks, command, file("run.log"));
    if (ran.status == ExitStatus::success && take(command, point)) return;
    const ExitStatus status =
        ran.status == ExitStatus::success ? ExitStatus::bad_environment : ran.status;
    note(status, worst);
    point.not_run = status == ExitStatus::verification_failed ? "its result is wrong"
                    : ran.why.empty()
                        ? fmt::format("'{}' left no record of so many ranks", launcher_)
                        : ran.why;
    if (status == ExitStatus::verification_failed) return;  // it has a record of its own
    Record record;
    record.app = problem.app->name();
    record.ranks = point.ranks;
    record.problem = problem.asked;
    record.variant = {{"overlap", overlap_}, {"backend", backend_}};
    record.machine = machine_name_;
    record.verification.what = "did not run";
    record.not_run = point.not_run;
    std::vector<std::string> words{"bellwether"};
    words.insert(words.end(), command.begin(), command.end());
    record.provenance = collect_provenance(words);
    append_record(results(), record);
  }

  [[nodiscard]] bool take(const std::vector<std::string>& command, StudyPoint& point) const {
    const auto record = finished_record(results(), command, point.ranks);
    if (record) point.measured = study_time(*record);
    return record.has_value();
  }

  /// Of all that was measured, where that is enough.
  void add_fit(json& document, std::string& text) const {
    document["fit"] = nullptr;
    document["not_fitted"] = "";
    try {
      const FittedSeries fitted = fit_series(
          read_series({results()}, {document.at("app"), {{"overlap", overlap_}}}), {}, 0.05);
      document["fit"] = to_json(fitted, false);
      text += fit_table(fitted);
    } catch (const BadInput& error) {
      document["not_fitted"] = error.what();
      text += fmt::format("not fitted: {}\n", error.what());
    }
  }

  AppChoices choices_;
  Machine machine_, changed_;
  std::vector<WhatIfChange> changes_;
  std::vector<std::string> what_if_, added_links_;
  std::string machine_name_, ranks_, sizes_, scaling_ = "strong", overlap_ = "on", time_budget_;
  std::string launcher_ = BELLWETHER_LAUNCHER, folder_;
  int slots_ = 0, ranks_per_node_ = 0;
  bool resume_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_study_command() { return std::make_unique<StudyCommand>(); }

}  // namespace bellwether
