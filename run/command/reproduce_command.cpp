// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "results/reproduce/papers.hpp"
#include "results/reproduce/reproduction.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class ReproduceCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    std::string keys;
    for (const KnownPaper& paper : known_papers())
      keys += fmt::format("{}{}", keys.empty() ? "" : ", ", paper.key);
    options_.add("paper", &paper_, "One paper's key or the beginning of it: " + keys);
    options_.add("--machine-dir", &machine_dir_,
                 "Take the papers' machines from this folder's files, NAME.json by their "
                 "shipped names, in place of the shipped ones: what fails then?");
    options_.add_flag("--json", json_, "Print one JSON document instead of tables");
    verb_ = &program.add_verb(
        "reproduce", "Evaluate the papers' published numbers with their models and machines");
    verb_->show_examples("  bellwether reproduce shimokawabe");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    const std::vector<KnownPaper> papers =
        options_.given("paper") ? std::vector{find_paper(paper_)} : known_papers();
    const PaperMachines machines = machines_of(papers);
    std::vector<Reproduction> reproductions;
    for (const KnownPaper& paper : papers) reproductions.push_back(paper.reproduce(machines));
    bool right = true;
    for (const Reproduction& one : reproductions)
      for (const ReproducedNumber& number : one.numbers) right &= !number.failed();
    const ExitStatus status = right ? ExitStatus::success : ExitStatus::verification_failed;
    if (json_) {
      std::cout << to_json(reproductions).dump(2) << "\n";
    } else {
      for (const Reproduction& one : reproductions) std::cout << reproduction_table(one) << "\n";
      if (reproductions.size() > 1) std::cout << "all papers\n" << evidence_table(reproductions);
    }
    return status;
  }

 private:
  [[nodiscard]] PaperMachines machines_of(const std::vector<KnownPaper>& papers) const {
    if (!options_.given("--machine-dir")) return {};
    std::vector<std::string> names;
    for (const KnownPaper& paper : papers)
      names.insert(names.end(), paper.machines.begin(), paper.machines.end());
    return {machine_dir_, names};
  }

  std::string paper_, machine_dir_;
};

}  // namespace

std::unique_ptr<Subcommand> make_reproduce_command() {
  return std::make_unique<ReproduceCommand>();
}

}  // namespace bellwether
