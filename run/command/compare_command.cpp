// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>

#include <nlohmann/json.hpp>

#include "results/changes/change.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class CompareCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    const char* what = "Results file, machine file, or folder with results.jsonl and machine.json";
    options_.add({.names = "before", .target = &before_, .help = what, .required = true});
    options_.add({.names = "after", .target = &after_, .help = what, .required = true});
    options_.add_flag(
        "--details", details_,
        "Print every number that both have: of results not only the 20 largest changes "
        "that count, of machines not only a line for each part");
    options_.add_flag("--json", json_, "Print one JSON document instead of a table");
    verb_ = &program.add_verb(
        "compare",
        "What changed between two results files, machine files or folders, by how much, and "
        "whether it is more than noise: a change counts where the intervals do not overlap");
    verb_->add(options_);
  }
  [[nodiscard]] bool chosen() const override { return verb_->given(); }

  ExitStatus run(CommandLine) override {
    const std::vector<Changes> all = compare_files(before_, after_);
    nlohmann::json documents = nlohmann::json::array();
    for (const Changes& changes : all) {
      if (json_)
        documents.push_back(to_json(changes));
      else
        fmt::print(std::cout, "{}{}", &changes == &all.front() ? "" : "\n",
                   changes_text(changes, details_));
    }
    if (json_) fmt::print(std::cout, "{}\n", nlohmann::json{{"comparisons", documents}}.dump(2));
    return ExitStatus::success;
  }

 private:
  Verb* verb_ = nullptr;
  Options options_;
  std::string before_, after_;
  bool details_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace bellwether
