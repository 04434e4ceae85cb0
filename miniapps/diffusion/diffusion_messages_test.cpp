// SPDX-License-Identifier: MIT
// The Workload that the models are given is what the app really sends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/test_session.hpp"
#include "miniapps/diffusion/diffusion_case.hpp"
#include "miniapps/driver/take_steps_test.hpp"

namespace bellwether {
namespace {

TEST(DiffusionMessages, AreThoseOfTheWorkload) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  for (const char* boundary : {"periodic", "dirichlet"}) {
    for (const char* precision : {"f32", "f64"}) {
      for (const auto& ranks : factorizations(session.size(), {7, 6, 5})) {
        const DiffusionProblem problem{
            {7, 6, 5}, precision, fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]), boundary};
        const Decomposition decomposition({7, 6, 5}, ranks, problem.periodic());
        for (const bool overlap : {false, true}) {
          for (const auto& [halo, storage] :
               {std::pair{"staged", "two"}, {"direct", "two"}, {"staged", "shifted"}}) {
            StencilRunVariant variant{overlap, halo, "cached"};
            variant.storage = storage;
            const RankWorkload workload =
                stencil_workload(diffusion_stencil(), decomposition, session.rank(),
                                 stencil_variant(problem, variant, "cached"));
            const auto app = make_diffusion_case(site_on(*device, "kokkos"), problem, variant);
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
}

}  // namespace
}  // namespace bellwether
