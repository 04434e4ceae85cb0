// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <iostream>

#include "models/machine/machine_file.hpp"
#include "models/machine/transfer.hpp"
#include "run/command/python_program.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class TransferCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add("reference", &reference_, "The calibrated machine's file",
                 {.type = "REFERENCE", .required = true});
    options_.add("spec", &spec_,
                 "The data sheet of the machine to move it to: a file as `bellwether "
                 "machines --template` writes, or a shipped machine",
                 {.type = "SPEC", .required = true});
    options_.add("-o,--output", &output_, "The machine file to write, for `predict`",
                 {.type = "FILE", .required = true});
    options_.add("--reference-spec", &reference_spec_,
                 "The data sheet of the calibrated machine, likewise; default: the "
                 "shipped one whose name is a word of its GPU's",
                 {.type = "SPEC"});
    verb_ = &program.add_verb("transfer",
                              "Move a calibrated machine to another by both machines' data sheets");
    verb_->show_examples(
        "  bellwether machines --template gpu > mine.json\n"
        "  bellwether transfer machine.json mine.json -o new.json");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    check_writable("-o", output_);
    const Machine reference = find_machine(reference_), spec = find_machine(spec_),
                  then =
                      reference_spec_.empty() ? sheet_of(reference) : find_machine(reference_spec_);
    const Transfer done = transfer(reference, then, spec);
    write_machine(output_, done.machine);
    fmt::print(std::cout, "{}: {} ({}) from {}, calibrated, and its data sheet {} ({})\n", output_,
               done.machine.name, spec.device.name, reference.name, then.name, then.device.name);
    for (const std::string& line : done.ratios) fmt::print(std::cout, "times {}\n", line);
    fmt::print(std::cout, "as calibrated: {}\n", fmt::join(done.stayed, ", "));
    if (!done.added.empty())
      fmt::print(std::cout, "as on the data sheet: {}\n", fmt::join(done.added, ", "));
    return ExitStatus::success;
  }

 private:
  std::string reference_, spec_, output_, reference_spec_;
};

}  // namespace

std::unique_ptr<Subcommand> make_transfer_command() { return std::make_unique<TransferCommand>(); }

}  // namespace bellwether
