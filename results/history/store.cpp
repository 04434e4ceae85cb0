// SPDX-License-Identifier: MIT
#include "results/history/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/strict_json.hpp"
#include "models/text_lines.hpp"
#include "results/provenance.hpp"
#include "results/record_lines.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t application = 0x42776869;
constexpr std::int64_t version = 1;
constexpr int patience_ms = 60'000;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Throws what a result code of SQLite means, unless it is none of a failure.
void check(int code, sqlite3* database, const std::string& file) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  const std::string name = shown(file);
  switch (code & 0xff) {  // the rest are details
    case SQLITE_BUSY:
      throw BadEnvironment(
          fmt::format("history '{}': another program has been writing to it for a minute", name));
    case SQLITE_NOTADB:
      throw BadInput(fmt::format("history '{}': is no SQLite database", name));
    case SQLITE_CORRUPT:
      throw BadInput(fmt::format("history '{}': is damaged, or was cut off: {}", name,
                                 sqlite3_errmsg(database)));
    default:
      throw BadInput(fmt::format("history '{}': {}", name, sqlite3_errmsg(database)));
  }
}

/// A statement of SQL: its parameters are bound in order, before each of its runs.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& file, const std::string& sql)
      : database_(database), file_(file) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
    statement_ = {statement, sqlite3_finalize};
    check(code, database_, file_);
  }
  Statement& bind(const std::string& text) {
    return checked(sqlite3_bind_text(statement_.get(), ++bound_, text.data(),
                                     static_cast<int>(text.size()), SQLITE_TRANSIENT));
  }
  Statement& bind(std::int64_t number) {
    return checked(sqlite3_bind_int64(statement_.get(), ++bound_, number));
  }
  /// One that is not finite is NULL.
  Statement& bind(double number) {
    return checked(std::isfinite(number) ? sqlite3_bind_double(statement_.get(), ++bound_, number)
                                         : sqlite3_bind_null(statement_.get(), ++bound_));
  }
  /// Goes to the next row; false where there is none.
  bool step() {
    const int code = sqlite3_step(statement_.get());
    checked(code);
    if (code == SQLITE_ROW) return true;
    sqlite3_reset(statement_.get());
    bound_ = 0;
    return false;
  }
  [[nodiscard]] std::string text(int column) const {
    const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }
  /// NaN where it is NULL.
  [[nodiscard]] double number(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
               ? unknown
               : sqlite3_column_double(statement_.get(), column);
  }

 private:
  Statement& checked(int code) {
    check(code, database_, file_);
    return *this;
  }

  sqlite3* database_;
  const std::string& file_;
  std::shared_ptr<sqlite3_stmt> statement_;
  int bound_ = 0;
};

std::string text_or_empty(const json& object, const char* key) {
  const json value = value_or_null(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string layout_text(int ranks, int nodes) {
  return counted(ranks, "rank") + " on " + counted(nodes, "node");
}

/// The file, or what a folder and those in it hold. Throws BadInput for none.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (fs::exists(path, error)) return {path};
    throw BadInput(fmt::format(
        "history: '{}' is not there, expected a results file, a machine file, or a folder of them",
        shown(path)));
  }
  std::vector<std::string> files;
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error))
    if (at->path().filename() == "results.jsonl" || at->path().filename() == "machine.json")
      files.push_back(at->path());
  if (error)
    throw BadInput(
        fmt::format("history: folder '{}' cannot be read: {}", shown(path), error.message()));
  if (files.empty())
    throw BadInput(fmt::format(
        "history: folder '{}' has neither results.jsonl nor machine.json, nor a folder with one",
        shown(path)));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

RunKey run_key(const Record& record) {
  const json layout = value_or_null(record.provenance, "layout");
  const json nodes = value_or_null(layout, "nodes");
  const int node_count = nodes.is_number_integer() ? nodes.get<int>() : 1;
  RunKey key;
  key.host =
      node_count == 1 ? text_or_empty(record.provenance, "host") : counted(node_count, "node");
  key.date = text_or_empty(record.provenance, "time");
  for (const char* variable : {"LSB_JOBID", "PBS_JOBID", "SLURM_JOB_ID"})
    if (const std::string job =
            text_or_empty(value_or_null(record.provenance, "environment"), variable);
        !job.empty())
      key.job = job;
  key.layout = layout_text(record.ranks, node_count);
  key.case_name = full_case_name(record);
  return key;
}

HistoryStore::HistoryStore(const std::string& file, Access access) : file_(file) {
  std::error_code ignored;
  if (access == Access::read && !fs::exists(file, ignored))
    throw BadInput(
        fmt::format("history '{}' is not there, expected what `history add` makes", shown(file)));
  // A path with a folder is never one of SQLite's own names, as ":memory:" is.
  const std::string path = fs::path(file).has_parent_path() ? file : "./" + file;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &database,
      SQLITE_OPEN_READWRITE | (access == Access::add ? SQLITE_OPEN_CREATE : 0), nullptr);
  database_ = {database, sqlite3_close};
  check(code, database, file_);
  sqlite3_busy_timeout(database, patience_ms);
  if (access == Access::read) check_version(access);
}

void HistoryStore::execute(const std::string& sql) const {
  check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr), database_.get(),
        file_);
}

void HistoryStore::check_version(Access access) const {
  const auto pragma = [&](const char* name) {
    Statement statement(database_.get(), file_, fmt::format("PRAGMA {}", name));
    statement.step();
    return statement.integer(0);
  };
  Statement tables(database_.get(), file_, "SELECT count(*) FROM sqlite_master");
  tables.step();
  if (tables.integer(0) == 0 && access == Access::add) return execute(schema_files().front().text);
  if (pragma("application_id") != application)
    throw BadInput(fmt::format("history '{}': is no history, expected what `history add` makes",
                               shown(file_)));
  if (const std::int64_t found = pragma("user_version"); found != version)
    throw BadInput(fmt::format("history '{}': found version {} of the tables, expected {}",
                               shown(file_), found, version));
}

HistoryStore::Added HistoryStore::add(const std::vector<std::string>& paths) {
  execute("BEGIN IMMEDIATE");
  Added added;
  try {
    check_version(Access::add);
    for (const std::string& path : paths)
      for (const std::string& file : files_of(path))
        if (is_machine_file(file))
          add_machine(file, added);
        else
          add_records(file, added);
    execute("COMMIT");
  } catch (...) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  return added;
}

void HistoryStore::add_records(const std::string& file, Added& added) const {
  Statement insert(database_.get(), file_,
                   "INSERT OR IGNORE INTO cases (host, date, job, layout, app, case_name, time_s, "
                   "low_s, high_s, predicted_s, predicted_low_s, predicted_high_s, rate, unit, "
                   "share, limited_by, verdict, terms, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                   "?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for_each_whole_record(file, [&](const Record& record, std::int64_t line) {
    const RunKey key = run_key(record);
    if (key.host.empty() || !unix_time(key.date))
      throw BadInput(
          fmt::format("{}, line {}: found host '{}' and time '{}' in the record's "
                      "provenance, expected both, as `run` writes them",
                      file, line, shown(key.host), shown(key.date)));
    const json document = to_json(record);
    const auto at = [&](const char* pointer) -> double {
      const json::json_pointer place(pointer);
      return document.contains(place) && document[place].is_number() ? document[place].get<double>()
                                                                     : unknown;
    };
    json terms = json::object();
    for (const auto& [name, summary] : record.measured.terms) terms[name] = summary.median;
    for (const std::string& text :
         {key.host, key.date, key.job, key.layout, record.app, key.case_name})
      insert.bind(text);
    for (const char* pointer :
         {"/measured/total_s/median", "/measured/total_s/low", "/measured/total_s/high",
          "/predicted/refined/total_s", "/predicted/refined/low_s", "/predicted/refined/high_s",
          "/rate/value"})
      insert.bind(at(pointer));
    insert.bind(record.rate.unit)
        .bind(at("/rate/fraction_of_limit"))
        .bind(record.rate.limit)
        .bind(std::string(name_of(verdict_of(record).answer)))
        .bind(terms.dump())
        .bind(document.dump())
        .step();
    ++(sqlite3_changes(database_.get()) > 0 ? added.cases : added.known);
  });
}

void HistoryStore::add_machine(const std::string& file, Added& added) const {
  const json machine = to_json(read_machine(file));
  const json provenance = machine.value("provenance", json::object());
  Statement insert(database_.get(), file_,
                   "INSERT OR IGNORE INTO parameters (machine, host, date, layout, name, value, "
                   "low, high, unit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const auto& [name, parameter] : parameters_of(machine)) {
    const Measured& measured = parameter.measured;
    insert.bind(text_or_empty(machine, "name"))
        .bind(text_or_empty(provenance, "host"))
        .bind(text_or_empty(machine, "date"))
        .bind(machine.value("layout", json::object()).dump())
        .bind(name)
        .bind(measured.value)
        .bind(measured.low)
        .bind(measured.high)
        .bind(parameter.unit)
        .step();
    ++(sqlite3_changes(database_.get()) > 0 ? added.parameters : added.known);
  }
}

void HistoryStore::for_each_run(const std::string& case_text, const std::string& host,
                                const std::function<void(const StoredRun&)>& take) const {
  Statement select(database_.get(), file_,
                   "SELECT id, host, date, job, layout, case_name, time_s, low_s, high_s, verdict, "
                   "json_extract(record, '$.energy.joules_per_step') FROM cases WHERE "
                   "instr(case_name, ?) AND host GLOB ? "
                   "ORDER BY case_name, host, layout, date, id");
  select.bind(case_text).bind(host);
  while (select.step()) {
    const double joules = select.number(10);
    take({select.integer(0),
          {select.text(1), select.text(2), select.text(3), select.text(4), select.text(5)},
          {select.number(6), select.number(7), select.number(8), 1},
          select.text(9),
          std::isnan(joules) ? std::nullopt : std::optional(joules)});
  }
}

void HistoryStore::for_each_calibration(const std::string& name_text, const std::string& host,
                                        const std::function<void(const StoredRun&)>& take) const {
  Statement select(database_.get(), file_,
                   "SELECT host, date, layout, name, value, low, high FROM parameters "
                   "WHERE unit = 's' AND value > 0 AND instr(name, ?) AND host GLOB ? "
                   "ORDER BY name, host, layout, date, rowid");
  select.bind(name_text).bind(host);
  while (select.step()) {
    const json layout = parse_json(select.text(2), file_);
    const int ranks = layout.value("ranks", 1), on_node = layout.value("ranks_per_node", 1);
    take({0,
          {select.text(0), select.text(1), "",
           layout_text(ranks, (ranks + on_node - 1) / std::max(1, on_node)), select.text(3)},
          {select.number(4), select.number(5), select.number(6), 1},
          "",
          {}});
  }
}

Record HistoryStore::record(std::int64_t id) const {
  Statement select(database_.get(), file_, "SELECT record FROM cases WHERE id = ?");
  select.bind(id).step();
  const std::string place = fmt::format("{}, cases.id {}", file_, id);
  return parse_record(parse_json(select.text(0), place), place);
}

bool is_database(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;  // a pipe is read once
  constexpr std::string_view mark = "SQLite format 3";
  std::string beginning(mark.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == mark;
}

}  // namespace bellwether
