// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/changes/change.hpp"
#include "results/history/store.hpp"

namespace bellwether {

/// The right runs of a case in one job, or without a job number in one hour: repeats tell the same
/// moment of the machine.
struct Occasion {
  std::string date, job;                  ///< of the first
  std::int64_t run = 0;                   ///< the last in the store
  std::string verdict;                    ///< the last one's
  Measured time_s;                        ///< seconds per step: median within all their intervals
  std::optional<double> joules_per_step;  ///< median of those that counted it
};

/// A fact of records' provenance on either side of a change.
struct Difference {
  std::string what, before, after;
};

/// How a level differs from the one before it.
struct LevelChange {
  double chance = 0;  ///< as ChangePoint's
  Measured relative;  ///< (after - before) / before, and what both intervals allow
  /// What at least three of the four occasions on either side agree in, and the sides do not.
  std::vector<Difference> provenance;
};

/// A stretch of occasions without a change.
struct Level {
  std::string since, until;               ///< dates of its first and last occasion
  Measured time_s;                        ///< median of the occasions and its 95 % interval
  std::optional<double> joules_per_step;  ///< median of the occasions that have it
  std::optional<LevelChange> change;      ///< absent: of a series' first level
};

/// A case on a host in a layout, over time.
struct Trend {
  std::string host, layout, case_name;
  std::string name;    ///< in few words, as case_names
  std::string answer;  ///< "steady", of the latest change "slower" or "faster", or "too few"
  int wrong = 0;       ///< runs whose result was wrong, or that have no time: in no occasion
  std::vector<Occasion> occasions;
  std::vector<Level> levels;
};

/// Of which of a store's tables.
enum class TrendsOf : unsigned char { cases, calibrations };

/// Of a store's cases, or of its machine files' times, which know no provenance of a change, by
/// text and host as HistoryStore::for_each_run; those that changed first, the latest change before
/// others. Throws BadInput where none match.
std::vector<Trend> trends_of(const HistoryStore& store, const std::string& text,
                             const std::string& host, TrendsOf what = TrendsOf::cases);

/// For people: the answer, then a row for each level.
std::string trends_text(const std::vector<Trend>& trends, TrendsOf what = TrendsOf::cases);
/// Schema bellwether.history/1 (history.schema.json).
nlohmann::json to_json(const std::vector<Trend>& trends);
nlohmann::json history_json_schema();

}  // namespace bellwether
