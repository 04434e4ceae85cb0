// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "microbench/driver/machine_table.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

/// A shipped machine of the kind whose file is as short as a user's.
const char* template_text(const std::string& kind) {
  const std::map<std::string, std::string> files{
      {"gpu", "h200.json"}, {"cpu", "xeon-8480-x2.json"}, {"cluster", "crossroads.json"}};
  const auto wanted = files.find(kind);
  if (wanted == files.end())
    throw BadInput(fmt::format("--template: found \"{}\", expected gpu, cpu or cluster", kind));
  const std::span<const EmbeddedFile> all = shipped_files();
  return std::find_if(all.begin(), all.end(),
                      [&](const EmbeddedFile& file) { return file.name == wanted->second; })
      ->text;
}

class MachinesCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add("machine", &name_, "A shipped machine's name, or a machine file");
    options_.add_flag("--json", json_, "Print one JSON document instead of a table");
    options_.add_flag("--details", details_,
                      "Print every parameter of the machine, not only some 25 lines");
    options_.add("--template", &template_,
                 "Print a machine file to edit, of a data sheet's numbers: gpu, cpu or "
                 "cluster. provenance says where each is found",
                 {.excludes = {"machine", "--json", "--details"}});
    verb_ = &program.add_verb("machines", "List the shipped machines, or show one");
    verb_->show_examples("  bellwether machines frontier");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    if (options_.given("--template")) {
      std::cout << template_text(template_);
      return ExitStatus::success;
    }
    const bool shown = options_.given("machine");
    const Machine asked = shown ? find_machine(name_) : Machine{};
    if (shown) {
      std::cout << (json_      ? to_json(asked).dump(2) + "\n"
                    : details_ ? machine_table(asked)
                               : machine_summary(asked));
      return ExitStatus::success;
    }
    nlohmann::json all = nlohmann::json::array();
    for (const Machine& machine : shipped_machines()) {
      all.push_back(to_json(machine));
      if (!json_) fmt::print(std::cout, "{:<14} {}\n", machine.name, machine.description);
    }
    if (json_) std::cout << nlohmann::json{{"machines", all}}.dump(2) << "\n";
    return ExitStatus::success;
  }

 private:
  std::string name_, template_;
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_machines_command() { return std::make_unique<MachinesCommand>(); }

}  // namespace bellwether
