// SPDX-License-Identifier: MIT
#include "miniapps/comm/panel_broadcast.hpp"

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

class PanelBroadcastTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, PanelBroadcastTest, every_backend(), backend_in_name);

double value_of(long panel, std::size_t n) {
  return 1000. * static_cast<double>(panel) + static_cast<double>(n);
}

// Whoever owns them, however large they are, and while the last one is still in use.
TEST_P(PanelBroadcastTest, BringsEveryPanelToAll) {
  const Session& session = test_session();
  constexpr std::size_t largest = 300'001;  // beyond what MPI sends before it is asked for
  std::vector<std::string> algorithms = broadcast_names();
  algorithms.emplace_back(nearest_first);
  for (const std::string& algorithm : algorithms)
    for (const auto path : {NodePath::shared_memory, NodePath::messages}) {
      SCOPED_TRACE(algorithm);
      Heartbeat heartbeat;
      PhaseClock clock(heartbeat);
      PanelBroadcast broadcast(session.world(), device(), algorithm, largest, path);
      EXPECT_EQ(broadcast.shares_memory(),
                path == NodePath::shared_memory && session.size() > 1 && device().is_host());
      const std::size_t sizes[] = {7, largest, 1, 64, 5000, 0, largest, 9, 100'000, 8};
      long panel = 0;
      const auto owner_of = [&](long one) { return static_cast<int>(one % session.size()); };
      const auto send = [&](long one) {
        const std::size_t count = sizes[one];
        if (owner_of(one) == session.rank()) {
          broadcast.make_room(one, clock);
          for (std::size_t n = 0; n < count; ++n) broadcast.values(one)[n] = value_of(one, n);
        }
        broadcast.start(one, owner_of(one), count, clock);
      };
      send(0);
      for (; panel < static_cast<long>(std::size(sizes)); ++panel) {
        broadcast.finish(panel, clock);
        if (panel + 1 < static_cast<long>(std::size(sizes))) send(panel + 1);
        if (broadcast.wants_progress()) broadcast.progress(clock);
        std::size_t wrong = 0;
        for (std::size_t n = 0; n < sizes[panel]; ++n)
          wrong += broadcast.values(panel)[n] != value_of(panel, n);
        ASSERT_EQ(wrong, 0u) << "panel " << panel;
      }
      broadcast.finish_all(clock);
    }
}

TEST_P(PanelBroadcastTest, RefusesAnUnknownAlgorithm) {
  EXPECT_THROW(PanelBroadcast(test_session().world(), device(), "flood", 8), BadInput);
}

}  // namespace
}  // namespace bellwether
