// SPDX-License-Identifier: MIT
// Every number of a shipped machine says where it stands in its paper, or that it is assumed and
// why.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

bool tells_origin(const std::string& source) {
  static const std::regex place(
      "\\b(Tables?|Sections?|Figures?|Fig\\.|Eq\\.|Equations?|Abstract|page|footnote) ?[0-9IVX(]?");
  static const std::regex assumption("^assumed: .{10,}");
  return std::regex_search(source, place) || std::regex_search(source, assumption);
}

/// Appends the pointers of the quantities below `value` that nothing sources. `inherited` is the
/// source of the enclosing object, but for the machine's own, which names the paper alone.
void find_unsourced(const json& value, const json::json_pointer& at, const std::string& inherited,
                    std::vector<std::string>& found) {
  if (!value.is_structured()) return;
  if (value.is_array()) {
    for (std::size_t index = 0; index < value.size(); ++index)
      find_unsourced(value[index], at / index, inherited, found);
    return;
  }
  const std::string source = at.empty() ? std::string() : value.value("source", inherited);
  if (value.contains("value") && value["value"].is_number() && !tells_origin(source))
    found.push_back(at.to_string() + ": \"" + source + "\"");
  for (const auto& [key, child] : value.items()) find_unsourced(child, at / key, source, found);
}

std::vector<std::string> unsourced(const json& machine) {
  std::vector<std::string> found;
  find_unsourced(machine, json::json_pointer(), "", found);
  return found;
}

TEST(ShippedMachines, SayWhereEachNumberComesFrom) {
  for (const Machine& machine : shipped_machines())
    for (const std::string& place : unsourced(to_json(machine)))
      ADD_FAILURE() << machine.name << " " << place;
}

TEST(ShippedMachines, ANumberWithoutAnOriginIsFound) {
  json machine = to_json(find_machine("tsubame2.0"));
  json& bandwidth = machine["device"]["memory_bandwidth_bytes_per_s"];
  bandwidth["source"] = "the vendor";
  EXPECT_EQ(unsourced(machine).size(), 1u);
  bandwidth["source"] = "assumed: why";
  EXPECT_EQ(unsourced(machine).size(), 1u);
  bandwidth["source"] = "assumed: the vendor's data sheet";
  EXPECT_TRUE(unsourced(machine).empty());
  bandwidth.erase("source");
  EXPECT_EQ(unsourced(machine).size(), 1u);
}

}  // namespace
}  // namespace bellwether
