// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"
#include "results/changes/change.hpp"
#include "results/record.hpp"

struct sqlite3;

namespace bellwether {

/// schema.sql: the tables of a history, and what their columns mean.
std::span<const EmbeddedFile> schema_files();

/// What tells runs of a history apart; "" for what the record does not say.
struct RunKey {
  std::string host, date, job, layout, case_name;
};
RunKey run_key(const Record& record);

/// A run as the store has it, right or wrong.
struct StoredRun {
  std::int64_t id = 0;
  RunKey key;
  Measured time_s;
  std::string verdict;
  std::optional<double> joules;  ///< a step; absent: not counted
};

/// A history of results and machine parameters: a SQLite file of the tables in schema.sql.
class HistoryStore {
 public:
  enum class Access { read, add };
  /// Access::add makes the file where there is none. Throws BadInput for what is no history, one of
  /// another version, or damaged.
  HistoryStore(const std::string& file, Access access);

  struct Added {
    int cases = 0, parameters = 0, known = 0;  ///< known: rows that were there already
  };
  /// Results and machine files, and all results.jsonl and machine.json in folders and below, in one
  /// transaction: all or nothing. Waits a minute for other writers, then throws BadEnvironment;
  /// BadInput naming the file that cannot be used.
  Added add(const std::vector<std::string>& paths);

  /// Calls take(run) for each run of cases whose name has the text and of hosts that match the
  /// pattern (* and ?), by case, host and layout, in order of time.
  void for_each_run(const std::string& case_text, const std::string& host,
                    const std::function<void(const StoredRun&)>& take) const;
  /// The same for times of machine files whose name has the text, the name in place of a case's.
  void for_each_calibration(const std::string& name_text, const std::string& host,
                            const std::function<void(const StoredRun&)>& take) const;
  [[nodiscard]] Record record(std::int64_t id) const;

 private:
  void check_version(Access access) const;
  void execute(const std::string& sql) const;
  void add_records(const std::string& file, Added& added) const;
  void add_machine(const std::string& file, Added& added) const;

  std::string file_;
  std::shared_ptr<sqlite3> database_;
};

/// Whether a file begins as SQLite's do.
bool is_database(const std::string& file);

}  // namespace bellwether
