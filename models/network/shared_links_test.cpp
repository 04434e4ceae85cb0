// SPDX-License-Identifier: MIT
#include "models/network/shared_links.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

class SharedLink : public testing::Test {
 protected:
  /// So many seconds where it is alone on the link.
  [[nodiscard]] Flow flow_at(double start_s, double seconds, double weight = 1) const {
    return {0, start_s, seconds, weight, {routes_.links()}};
  }

  Machine machine_;
  ExchangeRoutes routes_{machine_, {1}, 1};
  SharedLinks links_{routes_, 1};
};

TEST_F(SharedLink, MessagesThatSetOutTogetherShareItByTheirWeights) {
  std::vector<Flow> flows{flow_at(0, 1), flow_at(0, 1, 3)};
  links_.flow(flows, 0);
  // Three quarters of the link for 4/3 s; then the other has it alone.
  EXPECT_DOUBLE_EQ(flows[1].end_s, 4. / 3);
  EXPECT_DOUBLE_EQ(flows[0].end_s, 2);
}

TEST_F(SharedLink, OneThatComesLaterSharesWhatIsLeftOfTheFirst) {
  std::vector<Flow> flows{flow_at(0, 1), flow_at(0.5, 1)};
  links_.flow(flows, 0);
  EXPECT_DOUBLE_EQ(flows[0].end_s, 1.5);
  EXPECT_DOUBLE_EQ(flows[1].end_s, 2);
}

TEST_F(SharedLink, WhatWasSentBeforeKeepsItsShare) {
  std::vector<Flow> before{flow_at(0, 1)}, after{flow_at(0.25, 0.5)};
  links_.flow(before, 0);
  links_.flow(after, 0.25);
  EXPECT_DOUBLE_EQ(before[0].end_s, 1);
  EXPECT_DOUBLE_EQ(after[0].end_s, 1.5);
}

TEST_F(SharedLink, MessagesOnNoLinkDoNotMeet) {
  std::vector<Flow> flows{{0, 0, 1}, {1, 0, 2}};
  links_.flow(flows, 0);
  EXPECT_DOUBLE_EQ(flows[0].end_s, 1);
  EXPECT_DOUBLE_EQ(flows[1].end_s, 2);
}

}  // namespace
}  // namespace bellwether
