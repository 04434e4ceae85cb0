// SPDX-License-Identifier: MIT
// The Workload that the models are given is what the app really sends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/test_session.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/lbm/lbm_case.hpp"

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
          const StencilRunVariant variant{overlap};
          const RankWorkload workload =
              stencil_workload(lbm_stencil(problem), decomposition, session.rank(),
                               stencil_variant(problem, variant, "in_place"));
          const auto app = make_lbm_case(site_on(*device, "kokkos"), problem, variant);
          const SentMessages sent = sent_by([&] {
            Heartbeat heartbeat;
            PhaseClock clock(heartbeat);
            app->step(clock);
            app->finish(clock);
          });
          EXPECT_EQ(sent, messages_of(workload)) << problem.decomposition;
          EXPECT_EQ(bare_communication(*app).has_value(), session.size() > 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
