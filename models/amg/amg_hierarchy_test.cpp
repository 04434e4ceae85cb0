// SPDX-License-Identifier: MIT
#include "models/amg/amg_hierarchy.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

TEST(AmgHierarchy, ReadsWhatItWrites) {
  json document = to_json({small_hierarchy()});
  document["title"] = "a paper's other keys are left alone";
  document["hierarchies"][0]["comment"] = "Table VIII";
  const auto read = parse_hierarchies(document, "file.json");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].processes, 8);
  EXPECT_EQ(read[0].levels[1].solve.max_elements, 20);
  EXPECT_EQ(read[0].levels[2].interpolation.max_sends, 0);
  EXPECT_EQ(to_json(read), to_json({small_hierarchy()}));
}

/// What reading the small hierarchy with one place changed says; empty if it is accepted.
std::string refusal(const std::string& pointer, const json& value) {
  json document = to_json({small_hierarchy()});
  const json::json_pointer place(pointer);
  if (value.is_null()) {
    document.at(place.parent_pointer()).erase(place.back());
  } else {
    document[place] = value;
  }
  try {
    parse_hierarchies(document, "file.json");
    return {};
  } catch (const BadInput& error) {
    return error.what();
  }
}

TEST(AmgHierarchy, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal("/hierarchies/0/comment", "why"), "");
  const std::vector<std::pair<std::string, json>> wrong = {
      {"/hierarchies", nullptr},
      {"/hierarchies", json::array()},
      {"/hierarchies/0/processes", 0},
      {"/hierarchies/0/nodes", 4},
      {"/hierarchies/0/levels", json::array()},
      {"/hierarchies/0/levels/0/unknowns", nullptr},
      {"/hierarchies/0/levels/0/unknowns", -1},
      {"/hierarchies/0/levels/1/unknowns", 1000},
      {"/hierarchies/0/levels/0/active_processes", 9},
      {"/hierarchies/0/levels/0/active_processes", 0},
      {"/hierarchies/0/levels/0/solve/max_sends", 8},
      {"/hierarchies/0/levels/0/solve/average_sends", 5},
      {"/hierarchies/0/levels/0/solve/max_elements", "many"},
      {"/hierarchies/0/levels/0/solve/nonzeros_per_row", 0},
      {"/hierarchies/0/levels/0/solve/hops", 1},
      {"/hierarchies/0/levels/0/interpolation", nullptr},
      {"/hierarchies/0/levels/2/interpolation", json::object()}};
  for (const auto& [pointer, value] : wrong) {
    const std::string said = refusal(pointer, value);
    EXPECT_TRUE(said.starts_with("file.json: ")) << pointer << ": " << said;
  }
}

}  // namespace
}  // namespace bellwether
