// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/replace_file.hpp"
#include "results/changes/record_changes.hpp"
#include "run/command/plot.hpp"
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

/// Results, machines and predictions in the order in which they were named.
class Sources {
 public:
  void add(const std::string& path) {
    if (!fs::exists(path))
      throw BadInput(fmt::format(
          "report: '{}' is not there, expected a results file, a machine file, what `predict "
          "--json` printed, or a folder with results.jsonl or machine.json",
          path));
    if (!fs::is_directory(path)) return add_file(path);
    bool found = false;
    for (const char* name : {"machine.json", "results.jsonl"})
      if (const std::string file = fs::path(path) / name; fs::exists(file)) {
        add_file(file);
        found = true;
      }
    if (!found)
      throw BadInput(
          fmt::format("report: folder '{}' has neither results.jsonl nor machine.json", path));
  }
  [[nodiscard]] json document() const {
    json named = json::array();
    const std::vector<std::string> names = case_names(records_);
    for (std::size_t i = 0; i < records_.size(); ++i)
      named.push_back({{"name", names[i]}, {"record", records_[i]}});
    return {{"cases", named},
            {"machines", machines_},
            {"predictions", predictions_},
            {"files", files_}};
  }

 private:
  void add_file(const std::string& file) {
    files_.push_back(file);
    std::ifstream stream(file);
    const json whole = json::parse(stream, nullptr, false);
    if (schema_of(whole).starts_with("bellwether.machine/")) {
      machines_.push_back(to_json(read_machine(file)));
    } else if (whole.is_object() && whole.contains("points") && whole.contains("app")) {
      predictions_.push_back(whole);
    } else {
      for (json& record : read_records(file)) records_.push_back(std::move(record));
    }
  }

  std::vector<json> records_, machines_, predictions_;
  std::vector<std::string> files_;
};

class ReportCommand final : public Subcommand {
 public:
  void add_to(Verb& program) override {
    options_.add({.names = "files",
                  .target = &files_,
                  .help =
                      "Results files, machine files, predictions (`predict --json`), or folders "
                      "with results.jsonl or machine.json",
                  .type = "FILE...",
                  .required = true});
    options_.add({.names = "-o,--output",
                  .target = &output_,
                  .help = "The page, one file that needs no network",
                  .type = "FILE.html",
                  .required = true});
    options_.add({.names = "--title", .target = &title_, .help = "What stands on top"});
    verb_ = &program.add_verb(
        "report",
        "A page of results files, machine files, predictions (`predict --json`) and folders of "
        "them: what was measured beside what was predicted, rates beside limits, links, ranks, "
        "scaling. Needs no MPI; draws with matplotlib and jinja2");
    verb_->add(options_);
  }
  [[nodiscard]] bool chosen() const override { return verb_->given(); }

  ExitStatus run(CommandLine) override {
    if (launched_rank() != 0) return ExitStatus::success;
    write_report(files_, output_, title_);
    fmt::print("report: {}\n", output_);
    return ExitStatus::success;
  }

 private:
  Verb* verb_ = nullptr;
  Options options_;
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
  json document = sources.document();
  document["title"] = title;
  document["version"] = BELLWETHER_VERSION;
  document["scaling_program"] = plot_files().front().text;
  document["page"] = report_files()[1].text;
  replace_file(output, python.run(report_files()[0].text, {}, document.dump()));
}

std::unique_ptr<Subcommand> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace bellwether
