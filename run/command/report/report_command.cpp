// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/replace_file.hpp"
#include "results/acceptance/finding.hpp"
#include "results/changes/change.hpp"
#include "results/history/store.hpp"
#include "results/history/trend.hpp"
#include "results/record_lines.hpp"
#include "run/command/python_program.hpp"
#include "run/command/report/report_files.hpp"
#include "run/command/subcommand.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string schema_of(const json& document) {
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  return schema != document.end() && schema->is_string() ? schema->get<std::string>() : "";
}

/// What no page shows goes; a probe's samples are most of a record.
json for_page(const Record& record) {
  json page = to_json(record);
  for (const char* key : {"probe", "result", "setup"}) page.erase(key);
  return page;
}

/// Results, machines, predictions and verdicts in the order in which they were named.
class Sources {
 public:
  void add(const std::string& path) {
    if (!fs::exists(path))
      throw BadInput(fmt::format(
          "report: '{}' is not there, expected a results file, a machine file, what `predict "
          "--json` printed, a store of `history`, or a folder with results.jsonl, machine.json or "
          "verdict.json",
          path));
    if (!fs::is_directory(path)) return add_file(path);
    bool found = false;
    for (const char* name : {"verdict.json", "machine.json", "results.jsonl"})
      if (const std::string file = fs::path(path) / name; fs::exists(file)) {
        add_file(file);
        found = true;
      }
    if (!found)
      throw BadInput(fmt::format(
          "report: folder '{}' has neither results.jsonl nor machine.json nor verdict.json", path));
  }
  [[nodiscard]] json take_document() {
    json named = json::array();
    const std::vector<std::string> names = case_names(records_);
    for (std::size_t i = 0; i < records_.size(); ++i)
      named.push_back({{"name", names[i]}, {"record", for_page(records_[i])}});
    return {{"cases", named},      {"not_run", not_run_},   {"verdicts", verdicts_},
            {"history", history_}, {"machines", machines_}, {"predictions", predictions_},
            {"files", files_}};
  }

 private:
  void add_file(const std::string& file) {
    files_.push_back(file);
    if (is_database(file)) {
      const HistoryStore store(file, HistoryStore::Access::read);
      const json trends = to_json(trends_of(store, "", "*"));
      for (const json& one : trends.at("cases")) history_.push_back(one);
      return;
    }
    const json whole = json_document(file);
    if (schema_of(whole).starts_with("bellwether.machine/")) {
      machines_.push_back(to_json(read_machine(file)));
    } else if (schema_of(whole).starts_with("bellwether.verdict/")) {
      verdicts_.push_back(to_json(parse_acceptance(whole, file)));
    } else if (whole.is_object() && whole.contains("points") && whole.contains("app")) {
      predictions_.push_back(whole);
    } else {
      for (Record& record : read_records(file)) records_.push_back(std::move(record));
      for (const Record& record : read_not_run(file))
        not_run_.push_back(full_case_name(record) + ": " + record.not_run);
    }
  }

  std::vector<Record> records_;
  std::vector<json> machines_, predictions_, verdicts_;
  json history_ = json::array();
  std::vector<std::string> files_, not_run_;
};

class ReportCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add("files", &files_,
                 "Results files, machine files, predictions (`predict --json`), verdicts of "
                 "`accept`, stores of `history`, or folders with results.jsonl, "
                 "machine.json or verdict.json",
                 {.type = "FILE...", .required = true});
    options_.add("-o,--output", &output_, "The page, one file that needs no network",
                 {.type = "FILE.html", .required = true});
    options_.add("--title", &title_, "What stands on top");
    verb_ = &program.add_verb(
        "report",
        "Draw results, predictions and machines on one page. What was measured beside what was "
        "predicted, rates beside limits, ranks, scaling. Needs no MPI; draws with matplotlib and "
        "jinja2");
    verb_->show_examples("  bellwether report results.jsonl machine.json -o report.html");
    verb_->add(options_);
  }

  ExitStatus run(CommandLine) override {
    write_report(files_, output_, title_);
    fmt::print(std::cout, "report: {}\n", output_);
    return ExitStatus::success;
  }

 private:
  std::vector<std::string> files_;
  std::string output_, title_;
};

}  // namespace

void write_report(const std::vector<std::string>& files, const std::string& output,
                  const std::string& title) {
  Sources sources;
  for (const std::string& file : files) sources.add(file);
  if (!output.ends_with(".html"))
    throw BadInput(fmt::format("-o: found '{}', expected a file ending in .html", output));
  check_writable("-o", output);
  const PythonProgram python(
      "report", {{"matplotlib.figure", "python3-matplotlib"}, {"jinja2", "python3-jinja2"}});
  json document = sources.take_document();
  document["title"] = title;
  document["version"] = BELLWETHER_VERSION;
  document["page"] = report_files().front().text;
  replace_file(output, python.run(report_files().subspan(1), {}, document.dump()));
}

std::unique_ptr<Subcommand> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace bellwether
