// SPDX-License-Identifier: MIT
#include "results/record_lines.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string_view>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {

using nlohmann::json;

void for_each_json_line(LinesOfFile& lines,
                        const std::function<void(json, const TextLine&)>& take) {
  while (lines.next()) {
    const TextLine line = lines.line();
    if (is_blank(line.text)) continue;
    json value = try_json(line.text);
    if (value.is_discarded() && is_cut_json(line.text))
      std::cerr << fmt::format("bellwether: {}, line {}: was cut off, left out\n", line.file,
                               line.number);
    else
      take(std::move(value), line);
  }
}

void for_each_record(LinesOfFile& lines, const TakeRecord& take) {
  for_each_json_line(lines, [&](const json& record, const TextLine& line) {
    const std::string place = fmt::format("{}, line {}", line.file, line.number);
    const auto refuse = [&](const std::string& what) {
      throw BadInput(
          fmt::format("{}: {}, expected a record of schema {}", place, what, record_schema));
    };
    if (record.is_discarded()) refuse("no JSON, or nested too deep");
    const json& schema = value_or_null(record, "schema");
    if (schema != record_schema)
      refuse(schema.is_string() ? fmt::format("found schema '{}'", shown(schema.get<std::string>()))
                                : "found no schema");
    take(parse_record(record, place), line.number);
  });
}

void for_each_record(const std::string& file, const TakeRecord& take) {
  LinesOfFile lines(file);
  for_each_record(lines, take);
}

FinishedCases::FinishedCases(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  for_each_record(path, [this](const Record& record, std::int64_t) {
    if (record.verification.passed) add(value_or_null(record.provenance, "request"));
  });
}

int FinishedCases::count(const json& request) const {
  const auto found = counts_.find(request.dump());
  return found == counts_.end() ? 0 : found->second;
}

json json_document(const std::string& file) {
  require_plain_file(file);
  LinesOfFile lines(file);
  int filled = 0;  // the first line may be one that was cut off
  bool begins = false;
  while (filled < 2 && lines.next()) {
    const std::string_view line = lines.line().text;
    if (is_blank(line)) continue;
    const json schema = value_or_null(try_json(line), "schema");
    if (schema.is_string() && schema.get<std::string>().starts_with("bellwether.record/"))
      return {};
    if (filled++ == 0) begins = line.find_first_not_of(" \t") == line.find('{');
  }
  if (begins && filled == 2) return parse_json(read_text(file), file);
  json document = try_json(read_text(file));
  return document.is_discarded() ? json() : document;
}

}  // namespace bellwether
