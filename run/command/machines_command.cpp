// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "microbench/driver/machine_table.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class MachinesCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add({.names = "machine",
                  .target = &name_,
                  .help = "A shipped machine's name, or a machine file"});
    options_.add_flag("--json", json_, "Print one JSON document instead of a table");
    options_.add_flag("--details", details_,
                      "Print every parameter of the machine, not only some 25 lines");
    verb_ = &program.add_verb("machines", "List the shipped machines, or show one");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
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
  std::string name_;
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_machines_command() { return std::make_unique<MachinesCommand>(); }

}  // namespace bellwether
