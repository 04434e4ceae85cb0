// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/errors.hpp"
#include "models/text_lines.hpp"
#include "results/changes/change.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class CompareCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    const char* what = "Results file, machine file, or folder with results.jsonl and machine.json";
    options_.add("before", &before_, what, {.required = true});
    options_.add("after", &after_, what, {.required = true});
    options_.add_flag(
        "--details", details_,
        "Print every number that both have: of results not only the 20 largest changes "
        "that count, of machines not only a line for each part");
    options_.add("--fail-on", &fail_on_,
                 "never; worse: exit status 4 where something is worse by more than noise, "
                 "and 1 where a result after is wrong; worse=P%: worse than that by more "
                 "than P % too",
                 {.type = "never|worse|worse=P%", .shows_default = true});
    options_.add_flag("--json", json_, "Print one JSON document (comparison.schema.json)");
    verb_ = &program.add_verb(
        "compare",
        "Tell what changed between two results, machine files or folders. By how much, and whether "
        "it is more than noise: a change counts where the intervals do not overlap");
    verb_->show_examples("  bellwether compare before.jsonl after.jsonl --fail-on worse=5%");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    const std::optional<double> bound = bound_of(fail_on_);
    const std::vector<Changes> all = compare_files(before_, after_);
    if (json_) fmt::print(std::cout, "{}\n", to_json(all).dump(2));
    for (const Changes& changes : all)
      if (!json_)
        fmt::print(std::cout, "{}{}", &changes == &all.front() ? "" : "\n",
                   changes_text(changes, details_));
    return bound ? status_of(all, *bound) : ExitStatus::success;
  }

 private:
  /// By how much a change is to be worse that counts; absent: none does. Throws BadInput.
  static std::optional<double> bound_of(const std::string& word) {
    if (word == "never") return {};
    if (word == "worse") return 0;
    if (word.starts_with("worse=") && word.ends_with("%"))
      if (const auto percent = parse_number<double>(word.substr(6, word.size() - 7));
          percent >= 0 && std::isfinite(*percent))
        return *percent / 100;
    throw BadInput(fmt::format("--fail-on: found '{}', expected never, worse or worse=5%", word));
  }

  /// Said in a line, unless JSON says it.
  ExitStatus status_of(const std::vector<Changes>& all, double bound) const {
    int worse = 0, wrong = 0, both = 0;
    for (const Changes& changes : all) {
      both += static_cast<int>(changes.changes.size());
      for (const Change& change : changes.changes) {
        worse += change.judgement == Judgement::worse && 1 / speed_of(change) - 1 > bound;
        wrong += change.judgement == Judgement::wrong && !change.after_is_right;
      }
    }
    if (both == 0)
      throw BadInput(fmt::format(
          "--fail-on: {} and {} have no case or number in common, expected one to judge by",
          before_, after_));
    if (!json_) fmt::print(std::cout, "--fail-on {}: {} worse, {} wrong\n", fail_on_, worse, wrong);
    if (wrong > 0) return ExitStatus::verification_failed;
    return worse > 0 ? ExitStatus::verdict_failed : ExitStatus::success;
  }

  std::string before_, after_, fail_on_ = "never";
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace bellwether
