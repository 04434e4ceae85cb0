// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "models/errors.hpp"
#include "models/replace_file.hpp"
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
        "From measured times over size and ranks, of any program: its parallel fraction, start-up "
        "time and overhead with 95 % intervals, and which rank counts pay");
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

namespace {

/// Whole steps, in columns as `bellwether fit` reads them; work where all times have it.
std::string csv_of(const TimedSeries& series) {
  const bool has_work = std::all_of(series.points.begin(), series.points.end(),
                                    [](const TimedPoint& point) { return point.whole.work > 0; });
  std::string text = has_work ? "n,ranks,seconds,work\n" : "n,ranks,seconds\n";
  for (const auto& [whole, size, phases] : series.points)
    text += has_work
                ? fmt::format("{},{},{},{}\n", whole.size, whole.ranks, whole.seconds, whole.work)
                : fmt::format("{},{},{}\n", whole.size, whole.ranks, whole.seconds);
  return text;
}

/// Extra-P's JSON lines: a line for each time, of the whole step and of each phase below it.
/// Extra-P wants as many times of every phase: one that a run does without, a single rank its
/// messages, took none there.
std::string extra_p_of(const TimedSeries& series) {
  const std::string root = series.app.empty() ? "program" : series.app;
  std::set<std::string> phases;
  for (const TimedPoint& point : series.points)
    for (const auto& [phase, sample] : point.phases) phases.insert(phase);
  std::string text;
  for (const TimedPoint& point : series.points) {
    std::map<std::string, double> seconds{{root, point.whole.seconds}};
    for (const std::string& phase : phases) seconds[root + "->" + phase] = 0;
    for (const auto& [phase, sample] : point.phases) seconds[root + "->" + phase] = sample.seconds;
    for (const auto& [path, value] : seconds)
      text += nlohmann::json{{"params", {{"p", point.whole.ranks}, {"n", point.whole.size}}},
                             {"callpath", path},
                             {"metric", "time"},
                             {"value", value}}
                  .dump() +
              "\n";
  }
  return text;
}

class ExportCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    series_.add_to(options_);
    options_.add_choice("--format", format_, {"csv", "extra-p"},
                        "csv: n, ranks, seconds and work of whole steps, as `fit` reads; extra-p: "
                        "Extra-P's JSON lines, whole steps and terms, parameters p (ranks) and n "
                        "(size)");
    options_.add("-o,--output", &output_, "Where to; without it the standard output",
                 {.type = "FILE"});
    verb_ = &program.add_verb("export",
                              "Measured times over size and ranks for other tools that model them");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    if (!output_.empty()) check_writable("-o", output_);
    const TimedSeries series = series_.read("export");
    for (const auto& [reason, count] : series.passed_over)
      std::cerr << fmt::format("bellwether: export: {} record{} left out: {}\n", count,
                               count == 1 ? "" : "s", reason);
    const std::string text = format_ == "csv" ? csv_of(series) : extra_p_of(series);
    if (output_.empty())
      fmt::print(std::cout, "{}", text);
    else
      replace_file(output_, text);
    return ExitStatus::success;
  }

 private:
  SeriesOptions series_;
  std::string format_ = "csv", output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace bellwether
