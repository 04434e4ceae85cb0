// SPDX-License-Identifier: MIT
#include "models/network/placement.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/machine/full_machine.hpp"

namespace bellwether {
namespace {

TEST(PathBetween, IsSharedMemoryOnANodeAndNetworkBetween) {
  const Machine machine = full_machine();
  EXPECT_EQ(path_between(machine, {4}, 0, 3).name, "shared_memory");
  EXPECT_EQ(path_between(machine, {4}, 3, 4).name, "network");
}

TEST(PathBetween, IsTheNetworkWhereSharedMemoryIsNotKnown) {
  Machine machine = full_machine();
  machine.links.erase("shared_memory");
  EXPECT_EQ(path_between(machine, {4}, 0, 3).name, "network");
}

TEST(PathBetween, NamesTheMissingLink) {
  Machine machine = full_machine();
  machine.links.erase("network");
  EXPECT_NO_THROW(path_between(machine, {4}, 0, 3));
  try {
    (void)path_between(machine, {4}, 3, 4);
    FAIL() << "a missing link was not noticed";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("machine full"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("\"network\""), std::string::npos);
  }
}

}  // namespace
}  // namespace bellwether
