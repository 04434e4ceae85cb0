// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <limits>

#include "miniapps/option_checks.hpp"
#include "miniapps/prediction_entry.hpp"
#include "models/machine_json.hpp"
#include "models/rank_list.hpp"
#include "run/prediction_table.hpp"
#include "run/subcommand.hpp"

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
      add_options(*app);
      choices_.push_back({app, std::move(entry)});
    }
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine) override {
    for (Choice& choice : choices_)
      if (choice.parsed->parsed()) return predict(*choice.entry);
    return ExitStatus::internal_fault;
  }

 private:
  struct Choice {
    CLI::App* parsed;
    std::unique_ptr<PredictionEntry> entry;
  };

  void add_options(CLI::App& app) {
    app.add_option("--machine", machine_name_, "Machine file, or the name of a shipped machine")
        ->required();
    app.add_option("--ranks", ranks_,
                   "Rank counts: a list 1,2,6; a range 1:65536 by powers of two; 1:64:1 by a step")
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
    app.add_flag("--json", json_, "Print one JSON document instead of a table");
  }

  ExitStatus predict(const PredictionEntry& entry) {
    entry.check();
    const Machine machine = find_machine(machine_name_);
    PredictionRequest request;
    request.ranks = parse_rank_list(ranks_);
    request.ranks_per_node = ranks_per_node_ > 0 ? ranks_per_node_ : machine.layout.ranks_per_node;
    if (overlap_ != "both") request.overlap = {overlap_ == "on"};
    if (form_ != "both") request.forms = {form_};
    const std::vector<ScalingPoint> points = entry.predict(machine, request);
    if (launched_rank() != 0) return ExitStatus::success;
    if (json_)
      std::cout << prediction_json(machine, points, entry).dump(2) << "\n";
    else
      std::cout << prediction_table(machine, points, entry);
    return ExitStatus::success;
  }

  CLI::App* verb_ = nullptr;
  std::vector<Choice> choices_;
  std::string machine_name_, ranks_, overlap_ = "both", form_ = "both";
  int ranks_per_node_ = 0;  // 0: as on the machine
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace bellwether
