// SPDX-License-Identifier: MIT
// What processes of a node do in memory that all see, held against what they do by messages.
#include "miniapps/comm/shared_window.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/hpl/pivot_exchange.hpp"

namespace bellwether {
namespace {

TEST(SharedWindow, ShowsAllWhatEachWroteBeforeABarrier) {
  const Session& session = test_session();
  SharedWindow window(session.world(), 100);
  ASSERT_EQ(static_cast<bool>(window), session.size() > 1);
  ASSERT_EQ(window.has_all(), session.size() > 1);
  if (!window) return;
  for (int process = 0; process < session.size(); ++process)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(window.of(process)) % 64, 0U) << process;
  for (int round = 1; round <= 500; ++round) {
    // Each writes to the next one's.
    double* const next = window.of((session.rank() + 1) % session.size());
    for (int n = 0; n < 100; ++n) next[n] = 1000. * round + session.rank() + n;
    window.barrier();
    const int before = (session.rank() + session.size() - 1) % session.size();
    for (int n = 0; n < 100; ++n)
      ASSERT_EQ(window.of(session.rank())[n], 1000. * round + before + n) << round;
    window.barrier();
  }
}

TEST(SharedWindow, IsNoneForAProcessAlone) {
  SharedWindow window(MPI_COMM_SELF, 10);
  EXPECT_FALSE(window);
  EXPECT_FALSE(window.has_all());
  EXPECT_EQ(window.of(0), nullptr);
}

TEST(PivotExchange, AgreesAlikeInMemoryAndByMessages) {
  const Session& session = test_session();
  constexpr int width = 5;
  PivotExchange in_memory(session.world(), width);
  PivotExchange by_messages(session.world(), width, NodePath::messages);
  const DealtOut rows{width, session.size(), session.rank()};
  for (PivotExchange* const one : {&in_memory, &by_messages}) one->begin(0, rows, width);
  for (int round = 0; round < 400; ++round) {
    // Few sizes, so that some are equal; some of the rows are those that all have.
    const auto size = static_cast<double>((round * 7 + session.rank() * 3) % 4);
    const int row = round % 3 == 0 ? round % width : width + (round + session.rank()) % 20;
    const double own_size = round % 3 == 0 ? round % 4 : size;
    double found[2][width];
    PanelPivot pivots[2];
    for (int way = 0; way < 2; ++way) {
      for (int n = 0; n < width; ++n)
        found[way][n] = round % 3 == 0 ? round + n : 100. * session.rank() + round + n;
      pivots[way] = (way == 0 ? in_memory : by_messages).choose(own_size, row, found[way], width);
    }
    ASSERT_EQ(pivots[0].process, pivots[1].process) << round;
    ASSERT_EQ(pivots[0].row, pivots[1].row) << round;
    for (int n = 0; n < width; ++n) ASSERT_EQ(found[0][n], found[1][n]) << round;
  }
}

}  // namespace
}  // namespace bellwether
