// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/errors.hpp"
#include "models/machine/strict_json.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// What of a record shapes its hierarchy, by the options' names.
json shape_of(const Record& record) {
  json shape = json::object();
  for (const char* key : {"problem", "stencil", "matrix"})
    shape[key] = value_or_null(record.problem, key);
  for (const char* key : {"coarsening", "interpolation", "pmax", "aggressive_levels"})
    shape[key] = value_or_null(record.variant, key);
  return shape;
}

AmgVariant variant_of(const json& variant, const std::string& place) {
  JsonObject object(JsonNode(variant, place));
  AmgVariant known;
  known.relax = object.required("relax").text();
  known.sweeps = object.required("sweeps").count(1);
  known.solver = object.required("solver").text();
  return known;
}

/// The records of a results file, one after the other.
class RecordReader {
 public:
  explicit RecordReader(const std::string& file) : file_(file) {}

  void take(const Record& record, std::int64_t line) {
    number_ = line;
    if (record.app != "amg" || !record.verification.passed) return;
    const std::string place = fmt::format("{}, line {}", file_, number_);
    json shape = shape_of(record);
    if (known_.all.empty()) {
      shape_ = std::move(shape);
      first_ = number_;
      known_.variant = variant_of(record.variant, place);
    } else {
      for (const auto& [key, value] : shape_.items())
        if (shape.at(key) != value)
          throw BadInput(
              fmt::format("{}: found {} {}, expected {} as in line {}: hierarchies of "
                          "one problem and one set of options",
                          place, key, shape.at(key).dump(), value.dump(), first_));
    }
    const json document = {{"hierarchies", {value_or_null(record.result, "hierarchy")}}};
    add(parse_hierarchies(document, place).front());
  }

  /// What was found; throws BadInput if that is nothing.
  KnownHierarchies finish() && {
    if (known_.all.empty())
      throw BadInput(fmt::format(
          "{}: found no verified record of amg in {} line{}, expected those of bellwether run amg",
          file_, number_, number_ == 1 ? "" : "s"));
    return std::move(known_);
  }

 private:
  /// With and without overlap, or repeated, it is the same.
  void add(AmgHierarchy next) {
    const auto same = [&](const AmgHierarchy& known) {
      return known.processes == next.processes &&
             known.levels.front().unknowns == next.levels.front().unknowns;
    };
    if (std::none_of(known_.all.begin(), known_.all.end(), same))
      known_.all.push_back(std::move(next));
  }

  const std::string& file_;
  std::int64_t number_ = 0, first_ = 0;
  json shape_;
  KnownHierarchies known_;
};

}  // namespace

KnownHierarchies read_hierarchies(const std::string& file) {
  if (const json document = json_document(file); !document.is_null())
    return {parse_hierarchies(document, file), {}};
  RecordReader records(file);
  for_each_record(file,
                  [&](const Record& record, std::int64_t line) { records.take(record, line); });
  return std::move(records).finish();
}

}  // namespace bellwether
