// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {

/// A number as one side has it: measured once or several times, with the range that it lies in.
struct Measured {
  double value = 0;
  double low = 0;
  double high = 0;
  int runs = 1;  ///< that the range is of
};

template <class T>
struct JsonType;
JsonType<Measured> measured_type();

enum class Better : unsigned char { less, more, neither };

/// In the order in which changes are shown.
enum class Judgement : unsigned char {
  wrong,  ///< a side's result is
  worse,
  different,  ///< where neither more nor less is better
  better,
  unknown,  ///< a side has no range
  noise     ///< the ranges overlap
};
inline constexpr std::array judgements{Judgement::wrong,  Judgement::worse,   Judgement::different,
                                       Judgement::better, Judgement::unknown, Judgement::noise};

inline constexpr std::array judgement_words{"WRONG RESULT", "worse",       "different",
                                            "better",       "no interval", "within noise"};

/// One number, before and after.
struct Change {
  std::string what;
  std::string unit;
  Measured before;
  Measured after;
  Better better = Better::less;
  Judgement judgement = Judgement::unknown;
  /// What explains it: the term of a step, or the machine's speed at the time; empty: nothing does.
  std::string because;
  bool after_is_right = true;  ///< false: what was computed after is wrong

  /// (after - before) / before, and the least and most that the ranges allow.
  [[nodiscard]] double relative() const { return after.value / before.value - 1; }
  [[nodiscard]] double least() const { return after.low / before.high - 1; }
  [[nodiscard]] double most() const { return after.high / before.low - 1; }
};

/// A change counts where the ranges do not overlap. Without a range (`ranged` false) nothing does.
Judgement judge(const Measured& before, const Measured& after, Better better, bool ranged = true);

/// What two files of a kind say of the same things.
struct Changes {
  std::string kind;             ///< "results", "machine"
  std::string before, after;    ///< files
  std::vector<Change> changes;  ///< those that count first, the largest first
  std::vector<std::string> only_before, only_after;
  std::vector<std::string> remarks;
  /// What was run, and where, as far as it differs: key, before, after.
  std::map<std::string, std::pair<std::string, std::string>> provenance;
};

/// Orders `changes` by judgement, the largest ratio first.
void sort_changes(std::vector<Change>& changes);

/// The values that occur in the provenance of several records, by their keys, but for times and
/// processes.
using ProvenanceValues = std::map<std::string, std::set<std::string>>;
void add_values(const nlohmann::json& provenance, ProvenanceValues& values);

/// What differs between two sides.
void add_provenance(ProvenanceValues before, ProvenanceValues after, Changes& changes);

/// For people: changes of each judgement; those that count, at most 20, of machines a line for each
/// part; what one side has alone. With `details` every number that both have.
std::string changes_text(const Changes& changes, bool details);
/// Schema bellwether.comparison/1 (comparison.schema.json).
nlohmann::json to_json(const std::vector<Changes>& all);
nlohmann::json comparison_json_schema();

/// A parameter of a machine.
struct Parameter {
  Measured measured;
  bool ranged = false;  ///< it has an interval
  Better better = Better::neither;
  std::string unit;
};
/// Those of a machine file (as JSON) by their path.
std::map<std::string, Parameter> parameters_of(const nlohmann::json& machine);

/// The parameters that two machine files (as JSON) both hold, by their path, a list's elements by
/// their words and counts; of links the times of messages, not fits' segments.
Changes changes_of_machines(const nlohmann::json& before, const nlohmann::json& after);

/// The part of a machine that a parameter's path belongs to: "device.memory" of
/// "device.memory[ranks 1].points[...].bandwidth_bytes_per_s".
std::string part_of(const std::string& path);
/// How fast it is after, before being 1.
double speed_of(const Change& change);

/// Whether a file says of itself that it is of a machine; false for whatever cannot be parsed.
bool is_machine_file(const std::string& file);

/// Compares two results files, two machine files, or two folders that hold results.jsonl,
/// machine.json or both. Throws BadInput for files that cannot be read, or of two kinds.
std::vector<Changes> compare_files(const std::string& before, const std::string& after);

/// Calls take(record, line) for each record of a results file whose case ran; false if the file has
/// none at all. Throws BadInput as for_each_record, and for one without app, ranks or, verified, a
/// measured total.
bool for_each_whole_record(const std::string& file, const TakeRecord& take);
/// Those records, in the file's order. Throws BadInput also for a file without any.
std::vector<Record> read_records(const std::string& file);
/// The others: of cases that could not run.
std::vector<Record> read_not_run(const std::string& file);

/// Each record's case in few words: app, problem, ranks, and of the rest what differs between these
/// records of its app: "diffusion 96x96x96 f64, 2 ranks, overlap on".
std::vector<std::string> case_names(const std::vector<Record>& records);
/// The same with all of problem and variant, as it was asked for: equal for the same case alone.
std::string full_case_name(const Record& record);

/// The totals of the cases that both have: the median of a case's records, within all their
/// intervals. `because`: the term that changed most, probes, and what was chosen otherwise.
Changes changes_of_records(const std::vector<Record>& before, const std::vector<Record>& after);
/// The same of two results files, of which only what is compared is kept in memory.
Changes changes_of_results(const std::string& before, const std::string& after);

}  // namespace bellwether
