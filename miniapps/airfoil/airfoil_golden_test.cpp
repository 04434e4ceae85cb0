// SPDX-License-Identifier: MIT
// The change after hundreds of iterations is that of plain loops in double precision over a mesh
// that was made by other means: on any number of ranks, however they share and compute it.
#include <fmt/format.h>

#include <vector>

#include "miniapps/airfoil/airfoil_flow.hpp"
#include "miniapps/airfoil/airfoil_plain_test.hpp"
#include "miniapps/airfoil/airfoil_quads_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/mesh/every_partitioner_test.hpp"

namespace bellwether {
namespace {

QuadMesh as_quads(const PlainAirfoil& plain) {
  QuadMesh mesh;
  const auto add = [](std::vector<std::int32_t>& to, const auto& row, int begin, int end) {
    for (int k = begin; k < end; ++k) to.push_back(static_cast<std::int32_t>(row[k]));
  };
  for (const auto& node : plain.nodes) mesh.x.insert(mesh.x.end(), node.begin(), node.end());
  for (const auto& cell : plain.cells) add(mesh.cell_nodes, cell, 0, 4);
  for (const auto& edge : plain.edges) {
    add(mesh.edge_nodes, edge, 0, 2);
    add(mesh.edge_cells, edge, 2, 4);
  }
  for (const auto& edge : plain.bedges) {
    add(mesh.outer_nodes, edge, 0, 2);
    add(mesh.outer_cells, edge, 2, 3);
    add(mesh.outer_flags, edge, 3, 4);
  }
  return mesh;
}

struct Golden {
  int block_columns, rows, iterations;

  /// Computed by one rank for all.
  [[nodiscard]] double rms() const {
    double rms = 0;
    if (test_session().rank() == 0)
      rms = plainly_iterated<double>(as_quads(PlainAirfoil(block_columns, rows)), iterations).rms;
    MPI_Bcast(&rms, 1, MPI_DOUBLE, 0, test_session().world());
    return rms;
  }
};

class AirfoilGoldenTest : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilGoldenTest, every_backend(), backend_in_name);

/// Some ways each: that all have the same bits is AirfoilFlowTest's.
TEST_P(AirfoilGoldenTest, RmsAfterHundredsOfIterations) {
  const Session& session = test_session();
  const std::vector<Partitioner> partitioners = every_partitioner();
  std::size_t runs = 0;
  for (const Golden golden : {Golden{20, 30, 300}, Golden{40, 60, 100}}) {
    const double expected = golden.rms();
    const AirfoilBlocks blocks =
        generate_airfoil({golden.block_columns, golden.rows}, session.size(), session.rank());
    for (const bool fused : {true, false}) {
      const Partitioner partitioner = partitioners[runs++ % partitioners.size()];
      const bool overlap = fused == (runs > 2);  // on the second mesh the other way around
      AirfoilLocal local = distribute_airfoil(session.world(), blocks, partitioner);
      if (default_increments(device(), true) == Increments::gather)
        add_surroundings(session.world(), blocks, local);
      AirfoilFlow<double> flow(session, device(), local, {fused, overlap});
      Heartbeat heartbeat;
      PhaseClock clock(heartbeat);
      for (int n = 0; n < golden.iterations; ++n) flow.iterate(clock);
      flow.finish(clock);
      SCOPED_TRACE(fmt::format("{}x{} {} fused {} overlap {}", golden.block_columns, golden.rows,
                               name_of(partitioner), fused, overlap));
      EXPECT_NEAR(flow.rms().value() / expected, 1, 1e-7);
      EXPECT_NEAR(flow.rms().value(), expected, 1e-15) << "the order of additions alone";
    }
  }
}

}  // namespace
}  // namespace bellwether
