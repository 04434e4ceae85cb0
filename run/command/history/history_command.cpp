// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "results/history/store.hpp"
#include "results/history/trend.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class HistoryCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    verb_ = &program.add_verb(
        "history", "Keep results of months, and show how each case changed on each host");
    verb_->show_examples(
        "  bellwether history add results/ --store site.sqlite\n"
        "  bellwether history show --store site.sqlite --case diffusion");
    options_.add("paths", &paths_,
                 "Results files, machine files, or folders with results.jsonl and "
                 "machine.json in them or below",
                 {.type = "FILE|FOLDER...", .required = true});
    add_store(options_,
              "The SQLite file; made where there is none. Its .schema says what the "
              "columns of tables cases and parameters mean");
    add_ = &verb_->add_verb("add",
                            "Add results to the store, once. What is there already stays as it is. "
                            "Several may add at the same time");
    add_->add(options_);
    show_options_.add("--case", &case_, "Cases whose name in the store has this text",
                      {.type = "TEXT"});
    show_options_.add("--parameter", &parameter_,
                      "In place of cases: times of machine files whose key has this text, as "
                      "collective_times",
                      {.type = "TEXT"});
    show_options_.add("--host", &host_, "Hosts that match this pattern of * and ?",
                      {.type = "PATTERN"});
    add_store(show_options_, "The SQLite file");
    show_options_.add_flag("--json", json_, "Print one JSON document (history.schema.json)");
    verb_
        ->add_verb(
            "show",
            "Show each case's time on each host. A row for each level between changes: times "
            "whose order would arise by chance in fewer than 1 of 200 steady series (rank "
            "sums of all splits, by permutations)")
        .add(show_options_);
  }

  ExitStatus run(CommandLine) override {
    if (!add_->given()) {
      if (!parameter_.empty() && !case_.empty())
        throw BadInput("--case, --parameter: found both, expected one of them");
      const TrendsOf what = parameter_.empty() ? TrendsOf::cases : TrendsOf::calibrations;
      const std::vector<Trend> trends = trends_of(HistoryStore(store_, HistoryStore::Access::read),
                                                  parameter_ + case_, host_, what);
      fmt::print(std::cout, "{}",
                 json_ ? to_json(trends).dump(2) + "\n" : trends_text(trends, what));
      return ExitStatus::success;
    }
    const HistoryStore::Added added = HistoryStore(store_, HistoryStore::Access::add).add(paths_);
    fmt::print(std::cout, "{}: added {} runs and {} parameters of machines; {} were there\n",
               store_, added.cases, added.parameters, added.known);
    return ExitStatus::success;
  }

 private:
  void add_store(Options& options, const char* help) {
    options.add("--store", &store_, help,
                {.type = "FILE", .check = not_empty("a file"), .shows_default = true});
  }

  Options show_options_;
  Verb* add_ = nullptr;
  std::vector<std::string> paths_;
  std::string store_ = "history.sqlite", case_, parameter_, host_ = "*";
};

}  // namespace

std::unique_ptr<Subcommand> make_history_command() { return std::make_unique<HistoryCommand>(); }

}  // namespace bellwether
