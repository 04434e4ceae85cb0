// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>
#include <span>
#include <stdexcept>

#include "microbench/links/rank_pairs.hpp"
#include "models/replace_file.hpp"
#include "models/text_lines.hpp"
#include "results/fleet/fleet.hpp"
#include "results/provenance.hpp"
#include "run/command/accept/accept_folder.hpp"
#include "run/command/accept/suite.hpp"
#include "run/command/fleet/fleet_files.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

/// Built in: marks.sh, submit.sh, and the batch systems' scripts.
std::string fleet_file(const std::string& name) {
  for (const EmbeddedFile& file : fleet_files())
    if (file.name == name) return file.text;
  throw std::logic_error("no file " + name);
}

/// The batch system's script with this limit and, before the first command, the marks.
std::string job_script(const FleetPlan& plan) {
  std::string text = fleet_file(plan.scheduler + ".sh");
  text.insert(text.find("\nmodule load") + 1, fleet_file("marks.sh"));
  return std::regex_replace(text, std::regex("\nlimit_s=[0-9]+"),
                            fmt::format("\nlimit_s={}", plan.limit_s));
}

FleetPlan make_plan(std::vector<std::string> nodes, int rounds) {
  FleetPlan plan;
  plan.made = utc_time();
  const int count = static_cast<int>(nodes.size()), all = tournament_rounds(count);
  plan.rounds = std::min(rounds, all);
  for (const std::string& node : nodes) plan.jobs.push_back({node, {node}});
  for (int round = 0; round < plan.rounds; ++round) {
    // Evenly spaced; each has pairs of all distances.
    const auto which = static_cast<int>(static_cast<long>(round) * all / plan.rounds);
    for (const auto& [one, other] : tournament_round(count, which)) {
      const std::string &a = nodes[static_cast<std::size_t>(one)],
                        &b = nodes[static_cast<std::size_t>(other)];
      plan.jobs.push_back({a + "+" + b, {a, b}});
    }
  }
  plan.nodes = std::move(nodes);
  return plan;
}

class FleetCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb("fleet",
                              "Judge a cluster by small jobs. Each node alone, then pairs, so that "
                              "one that hangs holds up no other; and one verdict of all");
    options_.add("--nodes", &nodes_, "Names, one or a list as node[001-010] a line",
                 {.type = "FILE", .required = true});
    options_.add("-o,--output", &folder_,
                 "New folder for the scripts and results, seen on all nodes",
                 {.type = "DIR", .check = not_empty("a folder"), .required = true});
    options_.add_choice("--scheduler", scheduler_, {"slurm", "pbs", "lsf", "flux"},
                        "Batch system: slurm, pbs, lsf or flux");
    options_.add("--rounds", &rounds_,
                 "In how many pairs each node is, at most one with each other; from 3 on a slow "
                 "link is told from its nodes",
                 {.check = whole_number(0, 100'000), .shows_default = true});
    options_.add("--suite", &suite_, "What each node alone runs: node, another, or a suite file",
                 {.shows_default = true});
    // Slurm ends a run a minute early, and may do so yet a minute earlier (sbatch, --signal).
    options_.add("--time-limit", &limit_s_, "Seconds of each job, after which it hangs",
                 {.check = whole_number(180, 1'000'000), .shows_default = true});
    verb_->show_examples(
        "  bellwether fleet plan --nodes nodes.txt -o fleet && fleet/submit.sh\n"
        "  bellwether fleet judge fleet");
    plan_ = &verb_->add_verb("plan", "Write plan.json, job.sh (to edit) and submit.sh (to run)");
    plan_->add(options_);
    judge_options_.add("folder", &folder_, "Folder of the plan", {.type = "DIR", .required = true});
    judge_options_.add("--topology", &topology_,
                       "What `scontrol show topology` prints: leaf switches are judged too",
                       {.type = "FILE", .check = not_empty("a file")});
    judge_options_.add_flag("--json", json_, "Print verdict.json in place of the screen's text");
    verb_
        ->add_verb("judge",
                   "Judge what is there so far. Which nodes, links and leaf switches are "
                   "slow, which nodes hang or never started. Exit status as of accept")
        .add(judge_options_);
  }

  ExitStatus run(CommandLine) override { return plan_->given() ? plan() : judge(); }

 private:
  [[nodiscard]] std::string file(const char* name) const { return fs::path(folder_) / name; }

  ExitStatus plan() {
    FleetPlan plan = make_plan(read_node_names(nodes_), rounds_);
    plan.scheduler = scheduler_;
    plan.limit_s = limit_s_;
    const auto [text, name] = find_suite(suite_);
    plan.suite = read_suite(text, name).name;
    require_new_folder(folder_, "");
    make_folder(folder_);
    replace_file(file("suite.json"), text);
    replace_file(file("link.json"), find_suite("link").first);
    replace_file(file("job.sh"), job_script(plan));
    std::string jobs;
    for (const FleetJob& job : plan.jobs)
      jobs +=
          fmt::format("{} {} {}\n", job.name, job.nodes.size() == 1 ? "suite.json" : "link.json",
                      fmt::join(job.nodes, " "));
    replace_file(file("jobs.txt"), jobs);
    replace_file(file("submit.sh"),
                 fmt::format("#!/usr/bin/env bash\nscheduler={} limit_s={}\nexport PLAN={}\n{}",
                             plan.scheduler, plan.limit_s, plan.made, fleet_file("submit.sh")));
    replace_file(file("plan.json"), to_json(plan).dump(1) + "\n");
    fmt::print(std::cout,
               "{} jobs: {} nodes alone, then {} pairs in {} rounds, {} s at most each\n"
               "Edit the lines marked <-- in {}, then run {}, and again after a failure;\n"
               "at any time: bellwether fleet judge {}\n",
               plan.jobs.size(), plan.nodes.size(), plan.jobs.size() - plan.nodes.size(),
               plan.rounds, plan.limit_s, file("job.sh"), "bash " + file("submit.sh"), folder_);
    return ExitStatus::success;
  }

  ExitStatus judge() {
    const FleetPlan plan = read_fleet_plan(file("plan.json"));
    const Suite suite = read_suite(read_text(file("suite.json")), file("suite.json"));
    const auto leaves =
        topology_.empty() ? std::map<std::string, std::string>{} : read_topology(topology_);
    const double now_s =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::vector<FleetResult> results;
    for (const FleetJob& job : plan.jobs)
      results.push_back(read_fleet_result(plan, job, folder_, now_s));
    if (std::all_of(results.begin(), results.end(),
                    [](const FleetResult& one) { return one.state == "never started"; }))
      throw BadInput(fmt::format("fleet judge: no job of {} has begun: run bash {}", folder_,
                                 file("submit.sh")));
    Material material = suite.material;
    material.source += fmt::format(" ({}, /material)", file("suite.json"));
    const Acceptance fleet =
        judge_fleet(plan, results, {suite.name, suite.false_alarm_rate, material}, leaves);
    replace_file(file("verdict.json"), to_json(fleet).dump(1) + "\n");
    replace_file(file("junit.xml"), junit_text(fleet));
    std::cout << (json_ ? to_json(fleet).dump(2) + "\n" : fleet_text(fleet, folder_));
    return exit_status(fleet.verdict());
  }

  Options judge_options_;
  Verb* plan_ = nullptr;
  std::string nodes_, folder_, scheduler_ = "slurm", suite_ = "node", topology_;
  int rounds_ = 8, limit_s_ = 900;
};

}  // namespace

std::unique_ptr<Subcommand> make_fleet_command() { return std::make_unique<FleetCommand>(); }

}  // namespace bellwether
