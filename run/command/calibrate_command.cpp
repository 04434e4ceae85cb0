// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "microbench/driver/calibrate.hpp"
#include "microbench/driver/machine_table.hpp"
#include "miniapps/driver/options.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/replace_file.hpp"
#include "results/record.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class CalibrateCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add_flag("--quick", calibration_.quick, "In about a minute, with wider intervals");
    options_.add("--time-budget", &calibration_.time_budget_s,
                 fmt::format("Seconds of measuring to aim at instead of {:.0f}, or {:.0f} with "
                             "--quick; every benchmark runs at least once, however long that takes",
                             full_limits().time_budget_s, quick_limits().time_budget_s),
                 {.check = positive_number()});
    options_.add("--largest-message", &calibration_.largest_message_bytes,
                 "Bytes of the largest message measured, 8 or more, instead of 64 MiB: "
                 "slow links take long over those",
                 {.check = whole_number(8, 1 << 30)});
    options_.add("--largest-edge", &calibration_.largest_edge,
                 "Cells along the largest cube measured on a rank, 16 to 512; no Airfoil "
                 "mesh takes more memory than two of them",
                 {.check = whole_number(16, 512)});
    options_.add("--largest-memory", &calibration_.largest_memory_bytes,
                 "Bytes that one benchmark may take on a rank, 1 MiB or more: arrays and "
                 "matrices that fit a cache have its rates, and nothing larger is known",
                 {.check = whole_number(1 << 20, 1LL << 40)});
    options_.add("--repeat-after", &calibration_.repeat_after_minutes,
                 "Minutes to wait at the end before the machine's drift is probed once "
                 "more: what it changes by in that time is in the predictions' intervals",
                 {.check = positive_number()});
    options_.add("-o,--output", &output_, "Machine file to write", {.shows_default = true});
    add_backend();
    options_.add("--name", &calibration_.name, "The machine's name; without it the host's");
    add_stall_limit();
    add_progress();
    options_.add_flag("--json", json_, "Print the machine as JSON instead of the table");
    options_.add_flag("--details", details_, "Print every parameter, not only some 25 lines");
    verb_ = &program.add_verb(
        "calibrate",
        "Measure the machine and fit its parameters, under the rank layout that will run");
    verb_->show_examples(
        "  mpirun -n 4 bellwether calibrate --quick\n"
        "  mpirun -n 128 bellwether calibrate --repeat-after 30 -o machine.json");
    verb_->add(options_);
  }
  [[nodiscard]] bool is_parallel() const override { return true; }

  ExitStatus run(CommandLine command_line) override {
    return with_session(
        command_line, backend_, stall_limit_s_, [&](Session& session, Heartbeat& heartbeat) {
          FileState before;
          agree_on_errors(session.world(), [&] {
            if (session.rank() != 0) return;
            check_appendable(output_);
            before = state_of(output_);
          });
          Progress progress(progress_, session.rank());
          calibration_.backend = backend_;
          calibration_.progress = &progress;
          calibration_.heartbeat = &heartbeat;
          SampleStore samples;
          Machine machine = calibrate(session, calibration_, &samples);
          progress.clear();
          agree_on_errors(session.world(), [&] {
            if (session.rank() != 0) return;
            check_unchanged(output_, before);
            const std::string samples_file = samples_path();
            machine.provenance["samples"] = std::filesystem::path(samples_file).filename();
            replace_file(samples_file, to_json(samples).dump());
            write_machine(output_, machine);
            if (json_)
              std::cout << to_json(machine).dump(2) << std::endl;
            else
              std::cout << (details_ ? machine_table(machine) : machine_summary(machine))
                        << "written to " << output_ << " (raw samples: " << samples_file
                        << "); every parameter: bellwether machines " << output_ << " --details"
                        << std::endl;
          });
          return ExitStatus::success;
        });
  }

 private:
  /// machine.json's samples stand in machine.samples.json.
  [[nodiscard]] std::string samples_path() const {
    return std::filesystem::path(output_).replace_extension(".samples.json");
  }

  CalibrateOptions calibration_;
  std::string output_ = "machine.json";
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_calibrate_command() {
  return std::make_unique<CalibrateCommand>();
}

}  // namespace bellwether
