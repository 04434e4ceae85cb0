// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/errors.hpp"
#include "models/replace_file.hpp"
#include "results/changes/change.hpp"
#include "results/history/numbers.hpp"
#include "results/history/store.hpp"
#include "run/command/fit/timed_series.hpp"
#include "run/command/python_program.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

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

void say_left_out(std::size_t count, const std::string& reason) {
  std::cerr << fmt::format("bellwether: export: {} record{} left out: {}\n", count,
                           count == 1 ? "" : "s", reason);
}

class ExportCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    series_.add_to(options_);
    options_.add_choice("--format", format_, {"csv", "openmetrics", "sqlite", "extra-p"},
                        "csv: a row for each record with every number and text, by JSON pointer; "
                        "openmetrics: every number as a gauge at the record's time; sqlite: added "
                        "to the tables of `history`; extra-p: Extra-P's JSON lines, whole steps "
                        "and terms of one series (--app, --where), parameters p (ranks) and n "
                        "(size)");
    options_.add("-o,--output", &output_,
                 "Where to; without it the standard output (sqlite needs a file)",
                 {.type = "FILE"});
    verb_ = &program.add_verb(
        "export",
        "Write results for other tools: tables, monitoring, databases, models of scaling");
    verb_->show_examples(
        "  bellwether export results.jsonl > results.csv\n"
        "  bellwether export results.jsonl --format openmetrics -o bellwether.prom");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    if (format_ != "extra-p" && (options_.given("--app") || options_.given("--where")))
      throw BadInput(
          fmt::format("export: --app and --where choose a series for --format extra-p, "
                      "found with {}, which has every record",
                      format_));
    if (format_ == "sqlite") {
      if (output_.empty())
        throw BadInput("export: --format sqlite: found no -o, expected the file to add to");
      HistoryStore(output_, HistoryStore::Access::add).add(series_.files());
      return ExitStatus::success;
    }
    if (!output_.empty()) check_writable("-o", output_);
    const std::string text = format_ == "extra-p" ? extra_p() : numbers();
    if (output_.empty())
      fmt::print(std::cout, "{}", text);
    else
      replace_file(output_, text);
    return ExitStatus::success;
  }

 private:
  [[nodiscard]] std::string numbers() const {
    std::vector<Record> records;
    std::size_t not_run = 0;
    for (const std::string& file : series_.files()) {
      std::ranges::move(read_records(file), std::back_inserter(records));
      not_run += read_not_run(file).size();
    }
    if (not_run > 0) say_left_out(not_run, "not run");
    return format_ == "csv" ? csv_of(records) : open_metrics_of(records);
  }

  [[nodiscard]] std::string extra_p() const {
    const TimedSeries series = series_.read("export");
    for (const auto& [reason, count] : series.passed_over) say_left_out(count, reason);
    return extra_p_of(series);
  }

  SeriesOptions series_;
  std::string format_ = "csv", output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace bellwether
