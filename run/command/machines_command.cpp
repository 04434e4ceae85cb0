// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "microbench/driver/machine_summary.hpp"
#include "microbench/driver/machine_table.hpp"
#include "models/machine/machine_json.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class MachinesCommand final : public Subcommand {
 public:
  void add_to(CLI::App& program) override {
    verb_ = program.add_subcommand("machines", "List the shipped machines, or show one");
    verb_->add_option("machine", name_, "A shipped machine's name, or a machine file");
    verb_->add_flag("--json", json_, "Print one JSON document instead of a table");
    verb_->add_flag("--details", details_,
                    "Print every parameter of the machine, not only some 25 lines");
  }
  [[nodiscard]] bool chosen() const override { return verb_->parsed(); }

  ExitStatus run(CommandLine) override {
    const bool shown = verb_->count("machine") > 0;
    const Machine asked = shown ? find_machine(name_) : Machine{};
    if (launched_rank() != 0) return ExitStatus::success;
    if (shown) {
      std::cout << (json_      ? to_json(asked).dump(2) + "\n"
                    : details_ ? machine_table(asked)
                               : machine_summary(asked));
      return ExitStatus::success;
    }
    nlohmann::json all = nlohmann::json::array();
    for (const Machine& machine : shipped_machines()) {
      all.push_back(to_json(machine));
      if (!json_) fmt::print("{:<14} {}\n", machine.name, machine.description);
    }
    if (json_) std::cout << nlohmann::json{{"machines", all}}.dump(2) << "\n";
    return ExitStatus::success;
  }

 private:
  CLI::App* verb_ = nullptr;
  std::string name_;
  bool json_ = false;
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_machines_command() { return std::make_unique<MachinesCommand>(); }

}  // namespace bellwether
