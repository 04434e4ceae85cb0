// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "miniapps/driver/option_checks.hpp"
#include "miniapps/driver/prediction_entry.hpp"
#include "models/machine/machine_json.hpp"
#include "models/scaling/rank_list.hpp"
#include "run/command/asked_options.hpp"
#include "run/command/measured_points.hpp"
#include "run/command/prediction_plot.hpp"
#include "run/command/prediction_table.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class PredictCommand final : public Subcommand {
 public:
  void add_to(CLI::App& program) override {
    verb_ = program.add_subcommand(
        "predict", "Predict a mini-app's time at any rank count, without running it");
    verb_->require_subcommand(1);
    for (auto& entry : predicted_apps()) {
      CLI::App* app = verb_->add_subcommand(entry->name(), entry->summary());
      entry->add_problem_options(*app);
      entry->add_prediction_options(*app);
      Choice choice{app, {}, std::move(entry)};
      for (const CLI::Option* option : app->get_options())
        if (option != app->get_help_ptr()) choice.of_the_app.push_back(option);
      add_options(*app);
      choices_.push_back(std::move(choice));
    }
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine) override {
    for (Choice& choice : choices_)
      if (choice.parsed->parsed()) return predict(choice);
    return ExitStatus::internal_fault;
  }

 private:
  struct Choice {
    CLI::App* parsed;
    std::vector<const CLI::Option*> of_the_app;  ///< its problem's and its predictions'
    std::unique_ptr<PredictionEntry> entry;
  };

  void add_options(CLI::App& app) {
    app.add_option("--machine", machine_name_, "Machine file, or the name of a shipped machine")
        ->required();
    app.add_option("--ranks", ranks_,
                   "Rank counts: a list 1,2,6; a range 1:65536 by powers of two; 1:64:1 by a step, "
                   "less those that cannot divide the problem")
        ->required();
    app.add_option("--ranks-per-node", ranks_per_node_,
                   "Consecutive ranks on a node; without it as on the machine")
        ->check(whole_number(1, std::numeric_limits<int>::max()));
    app.add_option("--overlap", overlap_, "off, on or both")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"off", "on", "both"}));
    app.add_option("--form", form_,
                   "paper (the published equations), refined (this suite's) or both")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"paper", "refined", "both"}));
    app.add_option(
           "--what-if", what_if_,
           "KEY=2x or KEY=VALUE in SI units, may be repeated: the same on a changed machine "
           "beside it. KEY is any number of the machine file between dots, for example "
           "links.network.latency_s; what describes the same thing scales along")
        ->take_all()
        ->type_name("KEY=VALUE");
    app.add_flag("--terms,!--no-terms", terms_,
                 "Print the terms of each form, or never; without it where all fits a screen");
    app.add_option("--plot", plot_,
                   "Draw the scaling curve into this file: .svg, .pdf or .png (needs matplotlib)")
        ->check(not_empty("a file"))
        ->type_name("FILE");
    app.add_option("--measured", measured_,
                   "Results of `run -o`: the same problem's measured times in the picture")
        ->check(not_empty("a results file"))
        ->type_name("FILE");
    app.add_flag("--details", details_, "Print each way out of the calibrated range by itself");
    add_progress_option(app, progress_);
    app.add_flag("--json", json_, "Print one JSON document instead of a table");
  }

  [[nodiscard]] PredictionRequest request_for(const Machine& machine) const {
    PredictionRequest request;
    request.ranks_per_node = ranks_per_node_ > 0 ? ranks_per_node_ : machine.layout.ranks_per_node;
    if (overlap_ != "both") request.overlap = {overlap_ == "on"};
    if (form_ != "both") request.forms = {form_};
    return request;
  }

  [[nodiscard]] std::optional<ChangedSweep> changed_sweep(const PredictionEntry& entry,
                                                          Machine machine, const RankSweep& ranks,
                                                          Progress& progress) const {
    if (what_if_.empty()) return std::nullopt;
    std::vector<WhatIfChange> changes;
    for (const std::string& text : what_if_)
      changes.push_back(change(machine, parse_what_if(text)));
    const PredictionRequest request = request_for(machine);
    return ChangedSweep{std::move(changes),
                        PredictionSweep(entry, std::move(machine), request, ranks, progress)};
  }

  ExitStatus predict(const Choice& choice) {
    const PredictionEntry& entry = *choice.entry;
    entry.check();
    const bool speaks = launched_rank() == 0;
    const nlohmann::json asked = asked_options(choice.of_the_app);
    const RankSweep ranks = parse_rank_sweep(ranks_);
    const Machine machine = find_machine(machine_name_);
    std::optional<MeasuredPoints> measured;
    if (!measured_.empty()) measured = read_measured(measured_, entry.name(), asked);
    std::optional<PredictionPlot> plot;
    if (!plot_.empty()) plot.emplace(plot_);
    Progress progress(progress_, launched_rank());
    PredictionSweep sweep(entry, machine, request_for(machine), ranks, progress);
    std::optional<ChangedSweep> changed = changed_sweep(entry, machine, ranks, progress);
    if (!speaks) return ExitStatus::success;

    nlohmann::json more = nlohmann::json::object();
    if (measured) more["measured"] = measured->json(measured_);
    if (plot) draw(*plot, sweep, changed, asked, more);
    const Sink print = [&progress](std::string_view text) {
      if (isatty(STDOUT_FILENO) == 1) progress.clear();
      std::fwrite(text.data(), 1, text.size(), stdout);
    };
    if (json_) {
      write_prediction_json(sweep, changed ? &*changed : nullptr, asked, more, print);
    } else {
      write_prediction_table(sweep, changed ? &*changed : nullptr,
                             {terms(*choice.parsed), details_}, print);
      if (measured) fmt::print("measured: {}\n", measured->text(measured_));
      if (plot) fmt::print("plot: {}\n", plot_);
    }
    return ExitStatus::success;
  }

  /// Of so many points across as can be told apart.
  static void draw(const PredictionPlot& plot, const PredictionSweep& sweep,
                   const std::optional<ChangedSweep>& changed, const nlohmann::json& asked,
                   const nlohmann::json& more) {
    constexpr std::size_t most = 120;
    PredictionSweep fewer = sweep.thinned(most);
    std::optional<ChangedSweep> fewer_changed;
    if (changed) fewer_changed = ChangedSweep{changed->changes, changed->sweep.thinned(most)};
    nlohmann::json shown = more;
    shown["counts_in_all"] = sweep.counts();
    std::string document;
    write_prediction_json(fewer, fewer_changed ? &*fewer_changed : nullptr, asked, shown,
                          [&document](std::string_view text) { document += text; });
    plot.draw(document);
  }

  [[nodiscard]] TermTables terms(const CLI::App& app) const {
    if (app.count("--terms") == 0) return TermTables::automatic;
    return terms_ ? TermTables::always : TermTables::never;
  }

  CLI::App* verb_ = nullptr;
  std::vector<Choice> choices_;
  std::string machine_name_, ranks_, overlap_ = "both", form_ = "both";
  int ranks_per_node_ = 0;  // 0: as on the machine
  std::string plot_, measured_, progress_ = "auto";
  std::vector<std::string> what_if_;
  bool terms_ = false;
  bool details_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace bellwether
