// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "models/text_lines.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Calls take(value, line) for each line of JSON that follows, null for what is none. A last one
/// that a killed writer cut off is left out and said on stderr.
void for_each_json_line(LinesOfFile& lines,
                        const std::function<void(nlohmann::json, const TextLine&)>& take);

using TakeRecord = std::function<void(Record record, std::int64_t line)>;

/// Calls take(record, number of its line) for each record that follows. Throws BadInput naming file
/// and line where a line that is whole is no record of this schema.
void for_each_record(LinesOfFile& lines, const TakeRecord& take);
/// The same of a whole results file or pipe.
void for_each_record(const std::string& file, const TakeRecord& take);

/// The cases of a results file that need not run again: how many of its records passed their
/// verification and bear a request in their provenance.
class FinishedCases {
 public:
  FinishedCases() = default;
  /// Empty if there is no such file. Throws BadInput as for_each_record.
  explicit FinishedCases(const std::string& file);

  void add(const nlohmann::json& request) { ++counts_[request.dump()]; }
  [[nodiscard]] int count(const nlohmann::json& request) const;

 private:
  std::map<std::string, int> counts_;
};

/// The one JSON document that a plain file is; null where it holds records, or no JSON. Throws
/// BadInput, as parse_json, for one of several lines that is no JSON.
nlohmann::json json_document(const std::string& file);

}  // namespace bellwether
