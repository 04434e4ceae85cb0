// SPDX-License-Identifier: MIT
// The Workload that the models are given is what the app really sends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/test_session.hpp"
#include "miniapps/lbm/lbm_app.hpp"

namespace bellwether {
namespace {

TEST(LbmMessages, AreThoseOfTheWorkload) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  LbmProblem problem;
  problem.cells = {7, 6, 5};
  for (const char* boundary : {"periodic", "walls"}) {
    for (const char* precision : {"f32", "f64"}) {
      for (const auto& ranks : factorizations(session.size(), {7, 6, 5})) {
        problem.boundary = boundary;
        problem.precision = precision;
        problem.decomposition = fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]);
        const Decomposition decomposition({7, 6, 5}, ranks, problem.periodic());
        for (const bool overlap : {false, true}) {
          const Variant variant{"kokkos", overlap};
          const RankWorkload workload =
              stencil_workload(lbm_stencil(problem), decomposition, session.rank(),
                               stencil_variant(problem, variant, "in_place"));
          const auto app = make_lbm_app(session, *device, problem, variant, nullptr);
          const SentMessages sent = sent_by([&] {
            Heartbeat heartbeat;
            PhaseClock clock(heartbeat);
            app->step(clock);
            app->finish(clock);
          });
          EXPECT_EQ(sent, messages_of(workload)) << problem.decomposition;
          EXPECT_EQ(app->working_set_bytes(), workload.working_set_bytes);
          EXPECT_EQ(app->bare_communication().has_value(), session.size() > 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
