// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "miniapps/comm/session/launcher.hpp"
#include "models/machine/added_link.hpp"
#include "models/machine/machine_file.hpp"
#include "models/scaling/rank_list.hpp"
#include "results/provenance.hpp"
#include "run/command/predict/explanation.hpp"
#include "run/command/predict/machine_ranking.hpp"
#include "run/command/predict/measured_points.hpp"
#include "run/command/predict/prediction_table.hpp"
#include "run/command/python_program.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class PredictCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb("predict",
                              "Predict a mini-app's time at any rank count, without running it");
    add_options();
    choices_.add_to(
        *verb_, options_,
        "  bellwether predict {0} {1} --machine machine.json --ranks 1:4096\n"
        "  bellwether predict {0} {1} --machine h100-node --machine frontier --nodes 1");
  }

  ExitStatus run(CommandLine) override { return predict(choices_.given()); }

 private:
  void add_options() {
    options_.begin_group("Machine and ranks");
    options_.add("--machine", &machine_names_,
                 "Machine file, or the name of a shipped machine; given again, the "
                 "machines are ranked",
                 {.required = true, .one_word_each = true});
    options_.add("--ranks", &ranks_,
                 "Rank counts: a list 1,2,6; a range 1:65536 by powers of two; 1:64:1 by a "
                 "step, less those that cannot divide the problem");
    options_.add("--nodes", &nodes_, "In place of --ranks: nodes, with each machine's own ranks",
                 {.type = "COUNTS", .excludes = {"--ranks"}});
    add_ranks_per_node(ranks_per_node_);
    add_scaling(scaling_);
    options_.begin_group("Prediction");
    options_.add_choice("--overlap", overlap_, {"off", "on", "both"}, "off, on or both");
    options_.add_choice("--form", form_, {"paper", "refined", "both"},
                        "paper (the published equations), refined (this suite's) or both");
    options_.add("--what-if", &what_if_,
                 "KEY=2x or KEY=VALUE in SI units, may be repeated: the same on a changed "
                 "machine beside it. KEY is any number of the machine file between dots, "
                 "for example links.network.latency_s; what describes the same thing "
                 "scales along",
                 {.type = "KEY=VALUE"});
    options_.add("--add-link", &added_links_,
                 "A link that the machine lacks, by its data sheet, may be repeated: "
                 "network=1.5us,12GB/s",
                 {.type = "NAME=LATENCY,BANDWIDTH", .one_word_each = true});
    options_.begin_group("Output");
    options_.add_flag("--explain", explain_,
                      "Of one rank count, without --what-if's changes: which numbers of the "
                      "machine file make the refined form's time, and what the rank that computes "
                      "longest does in a step");
    options_.add_flag("--terms", terms_, "Print tables of all terms of each form");
    add_plot(plot_, "the scaling curve");
    options_.add("--measured", &measured_,
                 "Results of `run -o`: the same problem's measured times in the picture",
                 {.type = "FILE", .check = not_empty("a results file")});
    options_.add_flag("--details", details_,
                      "Print each way out of the calibrated range by itself");
    add_progress();
    options_.add_flag("--json", json_, "Print one JSON document instead of a table");
  }

  [[nodiscard]] PredictionRequest request_for(const Machine& machine) const {
    PredictionRequest request;
    request.ranks_per_node = ranks_per_node_ > 0 ? ranks_per_node_ : machine.layout.ranks_per_node;
    if (overlap_ != "both") request.overlap = {overlap_ == "on"};
    if (form_ != "both") request.forms = {form_};
    return request;
  }

  [[nodiscard]] std::optional<ChangedSweep> changed_sweep(const App& app, Machine machine,
                                                          const RankSweep& ranks,
                                                          Progress& progress) const {
    if (what_if_.empty()) return std::nullopt;
    std::vector<WhatIfChange> changes;
    for (const std::string& text : what_if_)
      changes.push_back(change(machine, parse_what_if(text)));
    const PredictionRequest request = request_for(machine);
    return ChangedSweep{std::move(changes),
                        PredictionSweep(app, std::move(machine), request, ranks, progress)};
  }

  [[nodiscard]] RankSweep ranks_on(const Machine& machine) const {
    RankSweep ranks = options_.given("--nodes")
                          ? parse_node_sweep(nodes_, request_for(machine).ranks_per_node)
                          : parse_rank_sweep(ranks_);
    ranks.weak = scaling_ == "weak";
    return ranks;
  }

  [[nodiscard]] Machine machine_of(const std::string& name) const {
    Machine machine = find_machine(name);
    for (const std::string& link : added_links_) machine = add_link(machine, link);
    return machine;
  }

  static void say_remark(const std::string& name, const Machine& machine) {
    if (const auto remark = remark_on_other_kernels(machine.provenance); !remark.empty())
      fmt::print(std::cerr, "bellwether: {} {}\n", name, remark);
  }

  /// What cannot be predicted does not take part; where nothing can, the first reason refuses all.
  ExitStatus rank_machines(const App& app, const nlohmann::json& asked) {
    for (const char* option : {"--what-if", "--explain", "--terms", "--plot", "--measured"})
      if (options_.given(option))
        throw BadInput(
            fmt::format("{}: found {} machines, expected one", option, machine_names_.size()));
    Progress progress(progress_, launched_rank());
    std::vector<Contestant> machines;
    for (const std::string& name : machine_names_) {
      const Machine machine = machine_of(name);
      RankSweep ranks = ranks_on(machine);
      ranks.named.clear();
      const PredictionRequest request = request_for(machine);
      machines.push_back({name, request.ranks_per_node,
                          PredictionSweep(app, machine, request, std::move(ranks), progress)});
    }
    if (std::all_of(machines.begin(), machines.end(),
                    [](const Contestant& one) { return one.sweep.points().empty(); }))
      throw BadInput(machines.front().sweep.left_out().reason);
    for (const Contestant& one : machines) say_remark(one.name, one.sweep.machine());
    const MachineRanking ranking(std::move(machines), options_.given("--nodes"));
    progress.clear();
    std::cout << (json_ ? ranking.json(asked).dump(2) + "\n" : ranking.table(details_));
    return ExitStatus::success;
  }

  ExitStatus predict(const AppChoice& choice) {
    const App& app = *choice.app;
    app.check();
    nlohmann::json asked = asked_options(choice.options);
    asked["scaling"] = scaling_;
    if (!options_.given("--ranks") && !options_.given("--nodes"))
      throw BadInput("--ranks, --nodes: found neither, expected one of them");
    if (machine_names_.size() > 1) return rank_machines(app, asked);
    const Machine machine = machine_of(machine_names_.front());
    const RankSweep ranks = ranks_on(machine);
    if (explain_ && form_ == "paper")
      throw BadInput(
          "--explain: found --form paper, expected refined or both: it explains that one");
    if (explain_ && ranks.counts.size() != 1)
      throw BadInput(
          fmt::format("--explain: found {} rank counts, expected one", ranks.counts.size()));
    std::optional<MeasuredPoints> measured;
    if (!measured_.empty()) measured = read_measured(measured_, app.name(), asked);
    std::optional<Plot> plot;
    if (!plot_.empty()) plot.emplace(plot_, "plot_scaling.py");
    Progress progress(progress_, launched_rank());
    const PredictionSweep sweep(app, machine, request_for(machine), ranks, progress);
    const std::optional<ChangedSweep> changed = changed_sweep(app, machine, ranks, progress);
    say_remark(machine_names_.front(), machine);
    nlohmann::json more = nlohmann::json::object();
    if (measured) more["measured"] = measured->json(measured_);
    if (plot) draw(*plot, sweep, changed, asked, more);
    if (explain_) {
      PredictionRequest request = request_for(machine);
      request.ranks = ranks.counts;
      const std::unique_ptr<App> grown = ranks.weak ? app.grown(request.ranks.front()) : nullptr;
      more["explained"] = explanations(grown ? *grown : app, machine, request);
    }
    progress.clear();
    if (json_) {
      std::cout << prediction_json(sweep, changed ? &*changed : nullptr, asked, more);
    } else {
      std::cout << prediction_table(sweep, changed ? &*changed : nullptr, {terms_, details_});
      if (explain_) std::cout << explanation_text(more["explained"], machine, app.step_name());
      if (measured) fmt::print(std::cout, "measured: {}\n", measured->text(measured_));
      if (plot) fmt::print(std::cout, "plot: {}\n", plot_);
    }
    return ExitStatus::success;
  }

  /// Of so many points across as can be told apart.
  static void draw(const Plot& plot, const PredictionSweep& sweep,
                   const std::optional<ChangedSweep>& changed, const nlohmann::json& asked,
                   const nlohmann::json& more) {
    constexpr std::size_t most = 120;
    const PredictionSweep fewer = sweep.thinned(most);
    std::optional<ChangedSweep> fewer_changed;
    if (changed) fewer_changed = ChangedSweep{changed->changes, changed->sweep.thinned(most)};
    nlohmann::json shown = more;
    shown["counts_in_all"] = sweep.counts();
    plot.draw(prediction_json(fewer, fewer_changed ? &*fewer_changed : nullptr, asked, shown));
  }

  AppChoices choices_;
  std::vector<std::string> machine_names_;
  std::string ranks_, nodes_, scaling_ = "strong", overlap_ = "both", form_ = "both";
  int ranks_per_node_ = 0;  // 0: as on the machine
  std::string plot_, measured_;
  std::vector<std::string> what_if_, added_links_;
  bool explain_ = false;
  bool terms_ = false;
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace bellwether
