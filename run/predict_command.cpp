// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <limits>

#include "miniapps/option_checks.hpp"
#include "miniapps/registry.hpp"
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
    for (auto& entry : mini_apps()) {
      CLI::App* app = verb_->add_subcommand(entry->name(), entry->summary());
      entry->add_problem_options(*app);
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
    std::unique_ptr<MiniAppEntry> entry;
  };

  void add_options(CLI::App& app) {
    app.add_option("--machine", machine_name_, "Machine file, or the name of a shipped machine")
        ->required();
    app.add_option("--ranks", ranks_,
                   "Rank counts: a list 1,2,6; a range 1:65536 by powers of two; 1:64:1 by a step")
        ->required();
    app.add_option("--ranks-per-node", request_.ranks_per_node,
                   "Consecutive ranks on a node; without it as on the machine")
        ->check(whole_number(1, std::numeric_limits<int>::max()));
    app.add_option("--overlap", overlap_, "off, on or both")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"off", "on", "both"}));
    app.add_option("--halo", request_.halo, "staged or direct")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"staged", "direct"}));
    app.add_option("--stores", request_.stores, "auto, cached or streaming (CPUs)")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>{"auto", "cached", "streaming"}));
    app.add_option("--rank-rate", rank_rate_,
                   "Measured rate of one rank, cells/s, in place of the machine's")
        ->check(positive_number());
    app.add_flag("--json", json_, "Print one JSON document instead of a table");
  }

  ExitStatus predict(const MiniAppEntry& entry) {
    entry.check();
    const Machine machine = find_machine(machine_name_);
    request_.ranks = parse_rank_list(ranks_);
    if (request_.ranks_per_node == 0) request_.ranks_per_node = machine.layout.ranks_per_node;
    if (overlap_ != "on") request_.overlap.push_back(false);
    if (overlap_ != "off") request_.overlap.push_back(true);
    if (rank_rate_ > 0) request_.units_per_s = rank_rate_;
    const std::vector<ScalingPoint> points = entry.predict(machine, request_);
    if (launched_rank() != 0) return ExitStatus::success;
    if (json_)
      std::cout << prediction_json(entry.name(), machine, points, entry.work()).dump(2) << "\n";
    else
      std::cout << prediction_table(entry.name(), machine, points, entry.work());
    return ExitStatus::success;
  }

  CLI::App* verb_ = nullptr;
  std::vector<Choice> choices_;
  PredictionRequest request_;
  std::string machine_name_, ranks_, overlap_ = "both";
  double rank_rate_ = 0;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace bellwether
