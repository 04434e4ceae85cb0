// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_iteration.hpp"

#include <gtest/gtest.h>

#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

/// q and adt are exchanged before each stage's edges, and nothing else ever: positions and res are
/// not, nor is q_old.
TEST(AirfoilIteration, HalosThatItsLoopsNeed) {
  const Session& session = test_session();
  const AirfoilBlocks blocks = generate_airfoil({6, 5}, session.size(), session.rank());
  AirfoilLocal local = distribute_airfoil(session.world(), blocks, Partitioner::block);
  add_surroundings(session.world(), blocks, local);
  const LocalMesh& mesh = local.mesh;
  const LocalSet &cells = mesh.sets[airfoil_cells], &edges = mesh.sets[airfoil_edge_set];
  for (const bool fused : {true, false}) {
    const AirfoilSequence sequence = fused ? AirfoilSequence::fused : AirfoilSequence::five;
    int stages = 0;
    for (const AirfoilCall& call : airfoil_iteration(mesh, sequence)) {
      const bool over_edges = call.kernel == AirfoilKernel::res_calc;
      const bool over_boundary = call.kernel == AirfoilKernel::bres_calc;
      if (over_edges) {
        ++stages;
        const AirfoilData q = fused && stages == 2 ? airfoil_second_q : airfoil_first_q;
        EXPECT_EQ(call.in, q);
        EXPECT_EQ(call.plan.exchanges, (std::vector<int>{q, airfoil_adt}));
        EXPECT_EQ(call.plan.before_halos, edges.core);
        EXPECT_EQ(call.plan.executed, edges.executed());
        continue;
      }
      EXPECT_FALSE(call.plan.blocks());
      EXPECT_EQ(call.plan.executed,
                over_boundary ? mesh.sets[airfoil_bedges].executed() : cells.owned());
    }
    EXPECT_EQ(stages, 2);
    EXPECT_EQ(airfoil_iteration(mesh, sequence).size(), fused ? 6u : 9u);
  }
  AirfoilData q = airfoil_first_q, adt = airfoil_adt;
  for (const AirfoilCall& call : airfoil_iteration(mesh, AirfoilSequence::gather)) {
    EXPECT_EQ(call.kernel, AirfoilKernel::stage);
    EXPECT_EQ(call.in, q);
    EXPECT_EQ(call.old, airfoil_first_q);
    EXPECT_EQ(call.plan.exchanges, (std::vector<int>{q, adt}));
    EXPECT_EQ(call.plan.before_halos, cells.core);
    EXPECT_EQ(call.plan.executed, cells.owned()) << "no other rank's";
    q = airfoil_second_q;
    adt = airfoil_second_adt;
    EXPECT_EQ(call.out, call.in == airfoil_first_q ? q : airfoil_first_q);
  }
  for (const AirfoilKernel kernel : {AirfoilKernel::adt_calc, AirfoilKernel::update}) {
    const AirfoilCall alone = lone_call(mesh, kernel, airfoil_second_q);
    EXPECT_FALSE(alone.plan.blocks());
    EXPECT_EQ(alone.plan.executed, cells.owned());
  }
}

}  // namespace
}  // namespace bellwether
