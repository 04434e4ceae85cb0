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

/// As a run tells it: what the busiest process has, and the transpose's own messages.
AmgHierarchy measured_hierarchy() {
  AmgHierarchy hierarchy = small_hierarchy();
  hierarchy.ranks_per_node = 2;
  AmgLevel& finest = hierarchy.levels[0];
  finest.solve.busiest_rows = 130;
  finest.solve.busiest_nonzeros = 900;
  finest.solve.total_nonzeros = 7000;
  finest.solve.offd_share = 0.25;
  finest.solve.own_node_share = 0.5;
  finest.restriction = finest.interpolation;
  finest.restriction->max_sends = 6;
  return hierarchy;
}

TEST(AmgHierarchy, ReadsWhatARunTellsMore) {
  const json document = to_json({measured_hierarchy()});
  const AmgHierarchy read = parse_hierarchies(document, "file.json").at(0);
  EXPECT_EQ(to_json({read}), document);
  EXPECT_EQ(read.ranks_per_node, 2);
  EXPECT_EQ(read.levels[0].solve.busiest_nonzeros, 900);
  EXPECT_EQ(read.levels[0].solve.own_node_share, 0.5);
  EXPECT_EQ(read.levels[0].restriction->max_sends, 6);
  EXPECT_FALSE(read.levels[1].restriction);
  const json published = to_json({small_hierarchy()})["hierarchies"][0]["levels"][0];
  EXPECT_EQ(published.size(), 4U) << "what is not known is not written";
  EXPECT_EQ(published["solve"].size(), 4U);
}

TEST(AmgHierarchy, GroupsOfLevels) {
  std::vector<std::string> groups;
  for (std::size_t level = 0; level < 6; ++level) groups.push_back(amg_group(level, 6));
  EXPECT_EQ(groups,
            (std::vector<std::string>{"finest", "next", "next", "middle", "middle", "coarsest"}));
  EXPECT_EQ(amg_group(1, 2), "coarsest");
  EXPECT_EQ(amg_group(0, 1), "finest");
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
      {"/hierarchies/0/levels/0/solve/busiest_rows", 1001},
      {"/hierarchies/0/levels/0/solve/busiest_nonzeros", -1},
      {"/hierarchies/0/levels/0/solve/offd_share", 1.5},
      {"/hierarchies/0/levels/0/solve/own_node_share", "half"},
      {"/hierarchies/0/levels/0/restriction", 1},
      {"/hierarchies/0/levels/2/restriction", json::object()},
      {"/hierarchies/0/ranks_per_node", 0},
      {"/hierarchies/0/levels/0/interpolation", nullptr},
      {"/hierarchies/0/levels/2/interpolation", json::object()}};
  for (const auto& [pointer, value] : wrong) {
    const std::string said = refusal(pointer, value);
    EXPECT_TRUE(said.starts_with("file.json: ")) << pointer << ": " << said;
  }
}

}  // namespace
}  // namespace bellwether
