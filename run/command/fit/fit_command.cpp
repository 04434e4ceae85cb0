// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/errors.hpp"
#include "run/command/fit/fit_report.hpp"
#include "run/command/fit/timed_series.hpp"
#include "run/command/python_program.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

class FitCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    series_.add_to(options_);
    options_.add("--hold-out", &hold_out_,
                 "Points to predict and not to fit: rank counts as 8,16, or a fraction of "
                 "all as 0.25",
                 {.type = "RANKS|FRACTION", .check = not_empty("rank counts or a fraction")});
    options_.add("--within", &within_, "Percent above the least time that count as near it",
                 {.check = positive_number(), .shows_default = true});
    options_.add("--peak", &peak_,
                 "Work per second that one rank could do, of which Es is the share "
                 "reached; without it the limit in the records, if any",
                 {.type = "RATE", .check = positive_number()});
    add_plot(plot_, "speed-up against ranks");
    options_.add_flag("--json", json_, "Print one JSON document instead of tables");
    verb_ = &program.add_verb(
        "fit",
        "Fit a law of scaling to measured times of any program. Its parallel fraction, start-up "
        "time and overhead, with 95 % intervals, and which rank counts pay");
    verb_->show_examples(
        "  bellwether fit times.csv --hold-out 0.25\n"
        "  bellwether fit results.jsonl --where overlap=off --plot scaling.svg");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    const HoldOut hold_out = hold_out_.empty() ? HoldOut{} : HoldOut::parse(hold_out_);
    std::optional<Plot> plot;
    if (!plot_.empty()) plot.emplace(plot_, "plot_fit.py");
    TimedSeries series = series_.read("fit");
    if (peak_) series.peak_per_s = peak_;
    const FittedSeries fitted = fit_series(std::move(series), hold_out, within_ / 100);
    if (plot) plot->draw(to_json(fitted, true).dump());
    if (json_)
      fmt::print(std::cout, "{}\n", to_json(fitted, false).dump(2));
    else
      fmt::print(std::cout, "{}{}", fit_table(fitted),
                 plot ? fmt::format("plot: {}\n", plot_) : "");
    return ExitStatus::success;
  }

 private:
  SeriesOptions series_;
  std::string hold_out_, plot_;
  std::optional<double> peak_;
  double within_ = 5;
};

}  // namespace

std::unique_ptr<Subcommand> make_fit_command() { return std::make_unique<FitCommand>(); }

}  // namespace bellwether
