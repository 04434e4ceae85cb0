// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace bellwether {

/// That a file below results/ holds a schema; if not, a file says what it should.
inline void expect_published(const std::string& name, const nlohmann::json& schema) {
  std::ifstream file(BELLWETHER_RESULTS "/" + name);
  const std::string held{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string yields = schema.dump(1) + "\n";
  const std::string fresh = testing::TempDir() + name.substr(name.rfind('/') + 1);
  if (held != yields) std::ofstream(fresh) << yields;
  EXPECT_EQ(held, yields) << "what the file should hold is in " << fresh;
}

}  // namespace bellwether
