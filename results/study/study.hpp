// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace bellwether {

/// The time of a step, seconds, and what all ranks do in a second of it, in the app's unit of work.
struct StudyTime {
  double total_s = 0;
  double low_s = 0, high_s = 0;  ///< measured: 95 % of the median; predicted: 90 % of runs
  double rate = 0;
};

/// A rank count of a study.
struct StudyPoint {
  int ranks = 0;
  std::optional<StudyTime> measured{};   ///< of a verified run
  std::optional<StudyTime> predicted{};  ///< absent where the model cannot tell
  std::optional<StudyTime> what_if{};    ///< predicted on a changed machine
  std::string not_run{};  ///< why it could not be measured; empty also where it was not to be
};

/// One problem over ascending rank counts.
struct StudyCurve {
  std::string size;  ///< "64x64x64"
  std::vector<StudyPoint> points;
};

/// The work of a rank in a second of a point's `time` relative to that at the smallest measured
/// rank count, or where nothing is measured the smallest predicted one: parallel efficiency, of
/// strong and weak scaling. Absent where the point or that count has no such time.
std::optional<double> efficiency(const StudyCurve& curve, const StudyPoint& point,
                                 std::optional<StudyTime> StudyPoint::*time);

/// What was measured, if the record is verified.
std::optional<StudyTime> study_time(const Record& record);

/// The last verified record that a command wrote on so many ranks, by its words after the program's
/// name; absent where there is none, or no file. Throws BadInput as for_each_record.
std::optional<Record> finished_record(const std::string& file,
                                      const std::vector<std::string>& command, int ranks);

/// A row for each rank count, then why points did not run.
std::string study_table(const StudyCurve& curve);

/// {"size", "points"} of study.schema.json.
nlohmann::json to_json(const StudyCurve& curve);

}  // namespace bellwether
