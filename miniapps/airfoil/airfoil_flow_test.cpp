// SPDX-License-Identifier: MIT
// The flow is that of the plain loops, within the bound of their rounding, on any number of ranks
// and with any partitioner; and for one partition it is one flow, to the bit.
#include "miniapps/airfoil/airfoil_flow.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "miniapps/airfoil/airfoil_checks.hpp"
#include "miniapps/airfoil/airfoil_quads_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/watched_device_test.hpp"
#include "miniapps/mesh/every_partitioner_test.hpp"

namespace bellwether {
namespace {

constexpr int iterations = 3;
constexpr AirfoilMesh shape{5, 7};

AirfoilLocal dealt_out(const AirfoilBlocks& blocks, Partitioner partitioner, bool gathers) {
  const Session& session = test_session();
  AirfoilLocal local = distribute_airfoil(session.world(), blocks, partitioner);
  if (gathers) add_surroundings(session.world(), blocks, local);
  return local;
}

template <class T>
void iterate(AirfoilFlow<T>& flow, int count) {
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (int n = 0; n < count; ++n) flow.iterate(clock);
  flow.finish(clock);
}

template <class T>
void expect_near_plain(AirfoilFlow<T>& flow, const LocalSet& cells, const PlainFlow<>& plain) {
  std::vector<RunningError> expected;
  for (int cell = 0; cell < cells.owned(); ++cell)
    for (int k = 0; k < 4; ++k)
      expected.push_back(plain.q[4 * static_cast<std::size_t>(cells.global[cell]) + k]);
  expect_near(flow.values(), expected);
  const double bound = plain.rms.bound(static_cast<double>(std::numeric_limits<T>::epsilon()));
  ASSERT_TRUE(flow.rms().has_value());
  EXPECT_NEAR(*flow.rms(), plain.rms.value(), bound);
  EXPECT_LT(bound, plain.rms.value() / 10);
}

/// q of all cells after iterations from the free stream on, gathered on one rank by the kernels
/// alone.
template <class T>
std::vector<T> gathered_as_a_whole(const QuadMesh& mesh, int count) {
  TestBackend kokkos("kokkos");
  AirfoilOnDevice<T> whole(kokkos, mesh);
  Stream& stream = kokkos.stream();
  AirfoilKernels<T>& kernels = whole.kernels();
  const ElementRange cells = whole.all_cells();
  const auto values = [&](std::size_t each) {
    return Buffer<T>(kokkos.device(), each * static_cast<std::size_t>(mesh.cells()));
  };
  const Buffer<T> first = values(4), second = values(4), adt = values(1), second_adt = values(1);
  kernels.set_free_stream(cells, first.data(), stream);
  kernels.adt_calc(cells, whole.where(), first.data(), adt.data(), stream);
  for (int n = 0; n < count; ++n) {
    kernels.stage(cells, whole.round(), first.data(), first.data(), adt.data(), second.data(),
                  second_adt.data(), stream);
    kernels.stage(cells, whole.round(), first.data(), second.data(), second_adt.data(),
                  first.data(), adt.data(), stream);
  }
  return kokkos.download(first);
}

class AirfoilFlowTest : public BackendTest {
 protected:
  /// Whether increments are made in one order, so that bits can be compared.
  [[nodiscard]] bool in_one_order() { return device().is_host(); }
  /// A mesh as the device takes it by default.
  [[nodiscard]] AirfoilLocal dealt_out(const AirfoilMesh& mesh, Partitioner partitioner) {
    const Session& session = test_session();
    return bellwether::dealt_out(generate_airfoil(mesh, session.size(), session.rank()),
                                 partitioner, gathers());
  }
  /// The same for both kinds of loops, where the device can.
  [[nodiscard]] std::optional<Increments> edge_after_edge() {
    if (!device().is_host()) return {};
    return default_increments(device(), false);
  }
  [[nodiscard]] bool gathers() { return default_increments(device(), true) == Increments::gather; }
};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilFlowTest, every_backend(), backend_in_name);

TEST_P(AirfoilFlowTest, IsThatOfThePlainLoopsAndOneForEveryWay) {
  each_precision([&]<class T>(T) {
    const auto plain = plainly_iterated<RunningError>(plain_mesh<T>(shape), iterations);
    for (const Partitioner partitioner : every_partitioner()) {
      const AirfoilLocal local = dealt_out(shape, partitioner);
      std::set<std::uint64_t> fingerprints;
      std::set<double> changes;
      for (const bool fused : {true, false}) {
        for (const bool overlap : {false, true}) {
          for (const bool staged : {true, false}) {
            if (!device().is_host() && !staged) continue;
            SCOPED_TRACE(fmt::format("{} fused {} overlap {} staged {}", name_of(partitioner),
                                     fused, overlap, staged));
            AirfoilFlow<T> flow(test_session(), device(), local,
                                {fused, overlap, staged, edge_after_edge()});
            EXPECT_FALSE(flow.rms().has_value());
            iterate(flow, iterations);
            EXPECT_EQ(flow.iterations(), iterations);
            expect_near_plain(flow, local.mesh.sets[airfoil_cells], plain);
            fingerprints.insert(flow.fingerprint());
            changes.insert(*flow.rms());
          }
        }
      }
      if (in_one_order()) {
        EXPECT_EQ(fingerprints.size(), 1) << name_of(partitioner);
        EXPECT_EQ(changes.size(), 1) << name_of(partitioner);
      }
    }
  });
}

/// Tiles of one edge and of any size, down to such that end amid a cell's edges: to the bit what
/// each loop by itself makes, on any number of ranks and with any partition.
TEST_P(AirfoilFlowTest, TilesGiveTheBitsOfLoopAfterLoop) {
  if (!device().is_sequential()) GTEST_SKIP() << "tiles are one thread's";
  const Session& session = test_session();
  Random random(session.size());
  const QuadMesh shuffled = quad_mesh(19, 12, {true, false, true, false}, random);
  each_precision([&]<class T>(T) {
    for (const QuadMesh& mesh : {plain_mesh<T>({9, 14}), shuffled, with_holes(shuffled, random)}) {
      const AirfoilBlocks blocks = blocks_of(mesh, session.size(), session.rank());
      for (const Partitioner partitioner : every_partitioner()) {
        const AirfoilLocal local = bellwether::dealt_out(blocks, partitioner, false);
        AirfoilFlow<T> whole(
            session, device(), local,
            {.increments = Increments::plain, .tile = std::numeric_limits<int>::max()});
        iterate(whole, iterations);
        const std::vector<T> expected = whole.values();
        for (const auto& [tile, overlap] :
             {std::pair{1, true}, {7, false}, {7, true}, {64, false}}) {
          SCOPED_TRACE(
              fmt::format("{} tiles of {} overlap {}", name_of(partitioner), tile, overlap));
          AirfoilFlow<T> flow(session, device(), local,
                              {.overlap = overlap, .increments = Increments::plain, .tile = tile});
          iterate(flow, iterations);
          EXPECT_EQ(flow.values(), expected);
        }
        AirfoilFlow<T> loops(session, device(), local, {.fused = false});
        iterate(loops, iterations);
        EXPECT_EQ(loops.values(), expected);
      }
    }
  });
}

/// What the device can do beside its default.
TEST_P(AirfoilFlowTest, IsThatOfThePlainLoopsWithAnyIncrements) {
  each_precision([&]<class T>(T) {
    const auto plain = plainly_iterated<RunningError>(plain_mesh<T>(shape), iterations);
    const AirfoilLocal local = dealt_out(shape, Partitioner::rcb);
    for (const Increments increments : {Increments::colours, Increments::atomics}) {
      for (const bool fused : {true, false}) {
        for (const bool overlap : {false, true}) {
          SCOPED_TRACE(fmt::format("{} fused {} overlap {}", name_of(increments), fused, overlap));
          AirfoilFlow<T> flow(test_session(), device(), local, {fused, overlap, true, increments});
          iterate(flow, iterations);
          expect_near_plain(flow, local.mesh.sets[airfoil_cells], plain);
        }
      }
    }
  });
}

/// On any number of ranks, with any partition, backend and overlap, and of any mesh: to the bit
/// what one rank makes of the whole mesh.
TEST_P(AirfoilFlowTest, GathersHaveTheSameBitsOnAnyRanks) {
  const Session& session = test_session();
  Random random(session.size());
  const QuadMesh shuffled = quad_mesh(19, 12, {true, false, true, false}, random);
  each_precision([&]<class T>(T) {
    for (const QuadMesh& mesh : {plain_mesh<T>(shape), shuffled, with_holes(shuffled, random)}) {
      QuadMesh same = mesh;  // on all ranks, whose random numbers are the same
      const std::vector<T> expected = gathered_as_a_whole<T>(same, iterations);
      const AirfoilBlocks blocks = blocks_of(same, session.size(), session.rank());
      std::set<std::uint64_t> fingerprints;
      for (const Partitioner partitioner : every_partitioner()) {
        const AirfoilLocal local = bellwether::dealt_out(blocks, partitioner, true);
        const LocalSet& cells = local.mesh.sets[airfoil_cells];
        std::vector<T> own;
        for (int cell = 0; cell < cells.owned(); ++cell)
          for (int k = 0; k < 4; ++k) own.push_back(expected[4 * cells.global[cell] + k]);
        for (const bool overlap : {false, true}) {
          SCOPED_TRACE(fmt::format("{} overlap {}", name_of(partitioner), overlap));
          AirfoilFlow<T> flow(session, device(), local,
                              {.overlap = overlap, .increments = Increments::gather});
          iterate(flow, iterations);
          EXPECT_TRUE(same_bits(flow.values(), own));
          EXPECT_EQ(flow.stale_ranks(), 0);
          fingerprints.insert(flow.fingerprint());
        }
      }
      EXPECT_EQ(fingerprints.size(), 1);
    }
  });
}

/// On more cells than a thread's block, or a piece of core, has.
TEST_P(AirfoilFlowTest, OverlapInPiecesGivesTheSameBits) {
  if (!in_one_order()) GTEST_SKIP() << "atomics add in any order";
  const AirfoilLocal local = dealt_out({64, 160}, Partitioner::rcb);
  std::set<std::uint64_t> fingerprints;
  for (const bool overlap : {false, true}) {
    AirfoilFlow<float> flow(test_session(), device(), local, {.overlap = overlap});
    iterate(flow, 2);
    fingerprints.insert(flow.fingerprint());
  }
  EXPECT_EQ(fingerprints.size(), 1);
}

TEST_P(AirfoilFlowTest, AskingForRmsOrResidualsChangesNothing) {
  for (const Increments increments : {default_increments(device(), true), Increments::gather}) {
    const Session& session = test_session();
    const bool same_bits = in_one_order() || increments == Increments::gather;
    const AirfoilLocal local = bellwether::dealt_out(
        generate_airfoil(shape, session.size(), session.rank()), Partitioner::block, true);
    const AirfoilWay way{.increments = increments};
    AirfoilFlow<double> asked(session, device(), local, way),
        left_alone(session, device(), local, way);
    for (int n = 0; n < iterations; ++n) {
      iterate(asked, 1);
      const double rms = asked.rms().value();
      EXPECT_EQ(asked.rms(), rms) << "the same when it is asked for again";
      (void)asked.residual();
      EXPECT_EQ(asked.rms(), rms);
      asked.touch();
    }
    iterate(left_alone, iterations);
    if (same_bits) {
      EXPECT_EQ(asked.fingerprint(), left_alone.fingerprint());
      EXPECT_EQ(asked.rms(), left_alone.rms());
    }
    const std::uint64_t first = asked.fingerprint();
    asked.restart();
    EXPECT_NE(asked.fingerprint(), first);
    iterate(asked, iterations);
    if (same_bits) {
      EXPECT_EQ(asked.fingerprint(), first);
    }
  }
}

TEST_P(AirfoilFlowTest, FreeStreamStaysAndCellsGainWhatOthersLose) {
  each_precision([&]<class T>(T) {
    const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    for (const Partitioner partitioner : every_partitioner()) {
      for (const Increments increments : {default_increments(device(), true), Increments::gather}) {
        const Session& session = test_session();
        const AirfoilLocal local = bellwether::dealt_out(
            generate_airfoil(shape, session.size(), session.rank()), partitioner, true);
        AirfoilFlow<T> flow(session, device(), local, {.increments = increments});
        const AirfoilResidual start = flow.residual();
        EXPECT_TRUE(free_stream_preserved(start, unit).passed);
        EXPECT_GT(start.all.magnitude[1], 1e-3) << "the wall stands in the stream";
        iterate(flow, iterations);
        const AirfoilResidual later = flow.residual();
        const Verification conserved = conservation(later, shape.cells(), unit);
        EXPECT_TRUE(conserved.passed) << conserved.what << " " << conserved.value;
        EXPECT_FALSE(free_stream_preserved(later, unit).passed) << "it is another flow by now";
        EXPECT_EQ(flow.stale_ranks(), 0);
      }
    }
  });
}

/// Halos that one rank has and another has not: fluxes through a cut differ on its sides.
TEST_P(AirfoilFlowTest, LostMessagesAreSeen) {
  if (test_session().size() == 1) GTEST_SKIP() << "one rank sends no messages";
  const Session& session = test_session();
  const AirfoilLocal local = bellwether::dealt_out(
      generate_airfoil(shape, session.size(), session.rank()), Partitioner::rcb, true);
  WatchedDevice watched(device());
  for (const auto& [overlap, increments] : {std::pair{false, default_increments(device(), true)},
                                            {true, default_increments(device(), true)},
                                            {false, Increments::gather},
                                            {true, Increments::gather}}) {
    AirfoilFlow<double> flow(session, watched, local,
                             {.overlap = overlap, .increments = increments});
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    iterate(flow, 2);
    watched.loses_messages = true;
    EXPECT_FALSE(conservation(flow.residual(), shape.cells(), unit).passed);
    iterate(flow, 1);
    watched.loses_messages = false;
    EXPECT_GT(flow.stale_ranks(), 0);
  }
}

/// A message of q and adt to each neighbour in each stage, and one of no bytes ahead of it.
TEST_P(AirfoilFlowTest, MessagesAreThoseOfTheHalo) {
  const AirfoilLocal local = dealt_out(shape, Partitioner::rcb);
  const AirfoilWorkload workload =
      workload_of(local.mesh, test_session().rank(), std::vector<int>(test_session().size(), 0));
  SentMessages expected;
  for (const SetNeighbour& neighbour : local.mesh.sets[airfoil_cells].neighbours) {
    const std::size_t cells = neighbour.execute_exports.size() + neighbour.read_exports.size();
    ASSERT_GT(cells, 0u) << "an edge that is cut has a cell on each side";
    for (int stage = 0; stage < 2; ++stage)
      for (const double bytes : {0.0, static_cast<double>(cells * 5 * sizeof(double))})
        expected.emplace_back(neighbour.rank, bytes);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(static_cast<double>(expected.size()), 4 * workload.neighbours);
  for (const bool fused : {true, false}) {
    AirfoilFlow<double> flow(test_session(), device(), local, {.fused = fused});
    EXPECT_EQ(sent_by([&] { iterate(flow, 1); }), expected);
  }
}

/// A device beside the host goes another way about it: streams, events, copies beside kernels.
TEST_P(AirfoilFlowTest, ADeviceBesideTheHostGivesTheSameBits) {
  if (!device().is_sequential()) GTEST_SKIP() << "its threads would use atomics";
  const Session& session = test_session();
  for (const Increments increments : {Increments::gather, Increments::plain}) {
    const AirfoilLocal local = bellwether::dealt_out(
        generate_airfoil(shape, session.size(), session.rank()), Partitioner::rcb, true);
    AirfoilFlow<float> on_host(session, device(), local, {.increments = increments});
    iterate(on_host, iterations);
    WatchedDevice beside(device());
    beside.pool = "beside the host";
    for (const bool overlap : {false, true}) {
      AirfoilFlow<float> flow(session, beside, local,
                              {.overlap = overlap, .increments = increments});
      iterate(flow, iterations);
      EXPECT_EQ(flow.fingerprint(), on_host.fingerprint());
      EXPECT_EQ(flow.rms(), on_host.rms());
    }
  }
}

TEST_P(AirfoilFlowTest, PhasesAreThoseOfTheLoopsAndTheHalo) {
  const AirfoilLocal local = dealt_out(shape, Partitioner::rcb);
  const bool alone = test_session().size() == 1;
  for (const bool fused : {true, false}) {
    const Increments increments = default_increments(device(), false);
    AirfoilFlow<double> flow(test_session(), device(), local,
                             {.fused = fused, .increments = increments});
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    flow.iterate(clock);
    flow.finish(clock);
    std::set<std::string> found, expected{"compute.res_calc", "compute.bres_calc"};
    for (const PhaseClock::Phase& phase : clock.phases()) found.insert(phase.name);
    if (sequence_of(fused, increments) == AirfoilSequence::tiled)
      expected = {"compute.stage"};
    else if (fused)
      expected.insert("compute.update_adt");
    else
      expected.insert({"compute.save_soln", "compute.adt_calc", "compute.update"});
    if (!alone)
      expected.insert({"pack", "copy.to_host", "wait", "network", "copy.to_device", "unpack"});
    if (!alone && !fused) expected.insert("reduce");
    const LocalSet& edges = local.mesh.sets[airfoil_edge_set];
    if (edges.ieh + local.mesh.sets[airfoil_bedges].ieh > 0) expected.insert("compute.redundant");
    // A rank that has no boundary edge of its own, or no edge, runs no such loop.
    if (local.mesh.sets[airfoil_bedges].owned() == 0) expected.erase("compute.bres_calc");
    EXPECT_EQ(found, expected);
  }
}

TEST_P(AirfoilFlowTest, PhasesOfGathersAreTheirStages) {
  const Session& session = test_session();
  const AirfoilLocal local = bellwether::dealt_out(
      generate_airfoil(shape, session.size(), session.rank()), Partitioner::rcb, true);
  AirfoilFlow<double> flow(session, device(), local, {.increments = Increments::gather});
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  flow.iterate(clock);
  flow.finish(clock);
  std::set<std::string> found, expected{"compute.stage"};
  for (const PhaseClock::Phase& phase : clock.phases()) found.insert(phase.name);
  if (session.size() > 1)
    expected.insert({"pack", "copy.to_host", "wait", "network", "copy.to_device", "unpack"});
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace bellwether
