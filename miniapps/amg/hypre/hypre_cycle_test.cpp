// SPDX-License-Identifier: MIT
// The cycle put together from hypre's functions against hypre's own, bit for bit; what is seen of
// its messages; and products against hypre's.
#include "miniapps/amg/hypre/hypre_cycle.hpp"

#include <_hypre_parcsr_ls.h>
#include <_hypre_utilities.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/amg_pcg.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"
#include "miniapps/amg/matrices/amg_product.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "models/errors.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {
namespace {

TEST(HypreMemory, RunningOutOfItIsAnEnvironmentThatCannotDoIt) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer needs the address space";
#endif
  if (test_session().size() > 1) GTEST_SKIP() << "MPI ends the other ranks";
  const auto run_out = [] {
    const rlimit little{1 << 20, 1 << 20};  // less than is mapped already
    setrlimit(RLIMIT_AS, &little);
    (void)hypre_TAlloc(char, 1 << 30, HYPRE_MEMORY_HOST);
  };
  EXPECT_EXIT(run_out(), testing::ExitedWithCode(3),
              "bellwether: not enough memory: hypre needs more than there is, and 0.00 GiB are "
              "available of the 0.00 GiB that ulimit -v allows");
}

MPI_Comm world() { return test_session().world(); }

AmgOptions options_of(std::array<long long, 3> cells) {
  AmgOptions options;
  options.cells = cells;
  return options;
}

/// A matrix that hypre has set up, with a right-hand side without symmetry.
struct MadeReady {
  explicit MadeReady(const AmgOptions& options)
      : library(0),
        source(stencil_matrix(options, test_session().rank(), test_session().size())),
        matrix(world(), *source.rows),
        b(world(), *source.rows),
        x(world(), *source.rows),
        y(world(), *source.rows),
        amg(options) {
    std::vector<double> values;
    for (long long i = source.rows->begin(); i < source.rows->end(); ++i)
      values.push_back(std::sin(7 * std::pow(static_cast<double>(i), 2)));
    b.set_values(values);
    times = amg.setup(matrix, b, x);
  }
  /// Values of x that are not y's, to the bit, on all ranks.
  [[nodiscard]] long differing() const {
    long differ = 0, all = 0;
    const std::vector<double> of_x = x.values(), of_y = y.values();
    for (std::size_t i = 0; i < of_x.size(); ++i)
      if (std::memcmp(&of_x[i], &of_y[i], sizeof(double)) != 0) ++differ;
    MPI_Allreduce(&differ, &all, 1, MPI_LONG, MPI_SUM, world());
    return all;
  }

  HypreLibrary library;
  AmgSource source;
  HypreMatrix matrix;
  HypreVector b, x, y;
  HypreAmg amg;
  HypreSetupTimes times;
};

void expect_hypres_iterates(const AmgOptions& options) {
  SCOPED_TRACE(fmt::format("{}x{}x{} {} {}-point, {} {} {} {} {}, {} sweeps", options.cells[0],
                           options.cells[1], options.cells[2], options.problem, options.stencil,
                           options.coarsening, options.interpolation, options.pmax,
                           options.aggressive_levels, options.relax, options.sweeps));
  MadeReady at(options);
  at.y.set_zero();
  at.amg.solve(at.matrix, at.b, at.y, 3);
  for (const bool overlap : {false, true}) {
    HypreCycle cycle(at.amg.get(), overlap);
    at.x.set_zero();
    for (int c = 0; c < 3; ++c) cycle.run(at.b.get(), at.x.get());
    EXPECT_EQ(at.differing(), 0) << "overlap " << overlap;
  }
  at.y.set_zero();
  at.amg.solve_with_pcg(world(), at.matrix, at.b, at.y, 3);
  for (const bool overlap : {false, true}) {
    HypreCycle cycle(at.amg.get(), overlap);
    AmgPcg pcg(world(), *at.source.rows, at.matrix, cycle, overlap);
    at.x.set_zero();
    pcg.start(at.b, at.x);
    for (int i = 0; i < 3; ++i) pcg.iterate(at.x);
    EXPECT_EQ(at.differing(), 0) << "pcg, overlap " << overlap;
    AmgProduct product(world(), *at.source.rows);
    EXPECT_NEAR(product.residual(at.b.values(), at.x.values()), pcg.residual(),
                1e-9 * product.norm(at.b.values()));
  }
}

TEST(HypreCycle, GoesAsHypresOwnWithEveryRelaxation) {
  for (const char* relax : {"hybrid-gauss-seidel", "l1-gauss-seidel", "l1-jacobi", "chebyshev"})
    for (const int sweeps : {1, 2}) {
      AmgOptions options = options_of({13, 9, 11});
      options.relax = relax;
      options.sweeps = sweeps;
      expect_hypres_iterates(options);
    }
}

TEST(HypreCycle, GoesAsHypresOwnOnEveryHierarchy) {
  for (const char* coarsening : {"hmis", "pmis", "falgout"})
    for (const char* interpolation : {"ext+i", "classical", "direct"}) {
      AmgOptions options = options_of({9, 10, 7});
      options.coarsening = coarsening;
      options.interpolation = interpolation;
      options.aggressive_levels = interpolation == std::string("ext+i") ? 1 : 0;
      options.pmax = coarsening == std::string("pmis") ? 0 : 4;
      expect_hypres_iterates(options);
    }
}

TEST(HypreCycle, GoesAsHypresOwnOnEveryProblem) {
  for (const auto& [problem, stencil] :
       {std::pair{"laplace", 27}, {"anisotropic", 7}, {"jumps", 7}}) {
    AmgOptions options = options_of({12, 11, 13});
    options.problem = problem;
    options.stencil = stencil;
    expect_hypres_iterates(options);
  }
  expect_hypres_iterates(options_of({37, 1, 1}));
  expect_hypres_iterates(options_of({5, 5, 5}));  // coarse levels leave ranks without rows
}

// hypre's calls of MPI are made within its library: the messages of each operation are those of its
// matrix.
TEST(HypreCycle, SeesTheMessagesOfEachOperation) {
  for (const bool overlap : {false, true})
    for (const char* relax : {"hybrid-gauss-seidel", "l1-jacobi"}) {
      AmgOptions options = options_of({16, 15, 17});
      options.relax = relax;
      options.sweeps = 2;
      MadeReady at(options);
      const AmgHierarchy hierarchy = at.amg.hierarchy(test_session());
      HypreCycle cycle(at.amg.get(), overlap);
      cycle.run(at.b.get(), at.x.get());
      ASSERT_EQ(cycle.levels(), hierarchy.levels.size());
      for (std::size_t l = 0; l + 1 < cycle.levels(); ++l) {
        const AmgLevel& level = hierarchy.levels[l];
        const auto& seconds = cycle.seconds()[l];
        std::vector<double> sends;
        for (const AmgSeconds& one : seconds) {
          sends.push_back(static_cast<double>(one.sends));
          EXPECT_GE(one.network, 0);
          EXPECT_GE(one.compute, 0);
        }
        sends = largest(world(), sends);
        // Later hypres know that a coarse level begins at zero, where Jacobi needs no neighbours.
        const int needless = sends[0] < 4 * level.solve.max_sends ? 1 : 0;
        EXPECT_EQ(sends[0], (4 - needless) * level.solve.max_sends) << l;
        EXPECT_TRUE(needless == 0 || (l > 0 && options.relax == "l1-jacobi"));
        EXPECT_EQ(sends[1], level.solve.max_sends) << l;
        EXPECT_EQ(sends[2], level.restriction->max_sends) << l;
        EXPECT_EQ(sends[3], level.interpolation.max_sends) << l;
        EXPECT_EQ(sends[4], 0) << l;
        if (test_session().size() > 1 && l == 0) {
          EXPECT_GT(sends[0], 0);
          EXPECT_GT(seconds[0].network, 0);
        }
      }
      EXPECT_GT(cycle.seconds().back()[4].compute, 0);
    }
}

// On every backend's device: hypre's queue there is any queue that it did not make.
TEST(HypreTimer, TimesWhatLiesBetweenItsMarks) {
  for (const BackendInfo& backend : backends()) {
    if (!backend.usable) continue;
    SCOPED_TRACE(backend.description);
    const auto device = make_device(backend.name, 0);
    const auto stream = device->adopt_stream(nullptr);
    const Buffer<double> from(*device, 1 << 20), to(*device, 1 << 20);
    HypreTimer timer(*device, device->adopt_stream(nullptr));
    for (int round = 0; round < 2; ++round) {
      timer.restart();
      EXPECT_EQ(timer.mark(), 0U);
      device->copy(to.data(), from.data(), to.bytes(), *stream);
      EXPECT_EQ(timer.mark(), 1U);
      EXPECT_EQ(timer.mark(), 2U);
      timer.wait();
      EXPECT_GT(timer.seconds(0, 1), 0);
      EXPECT_GE(timer.seconds(1, 2), 0);
      EXPECT_NEAR(timer.seconds(0, 2), timer.seconds(0, 1) + timer.seconds(1, 2), 5e-6);
    }
  }
}

TEST(HypreTimer, IsTheHostsClockWhereHypreIs) {
  const HypreLibrary library(0);
  HypreTimer timer;
  (void)timer.mark();
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  while (passed() < 1e-4) {
  }
  (void)timer.mark();
  timer.wait();
  EXPECT_GE(timer.seconds(0, 1), 1e-4);
  EXPECT_EQ(timer.seconds(1, 1), 0);
}

TEST(MessageTimer, WaitsOnceTheLastMessageIsPosted) {
  const Session& session = test_session();
  const int next = (session.rank() + 1) % session.size();
  const int previous = (session.rank() + session.size() - 1) % session.size();
  double to = 0;
  const double from = session.rank() + 1.5;
  MPI_Request requests[2];
  MessageTimer timer;
  timer.wait_after(2);
  MPI_Irecv(&to, 1, MPI_DOUBLE, previous, 3, world(), &requests[0]);
  EXPECT_NE(requests[0], MPI_REQUEST_NULL);
  EXPECT_EQ(timer.unwaited(), 1);
  MPI_Isend(&from, 1, MPI_DOUBLE, next, 3, world(), &requests[1]);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
  EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
  EXPECT_EQ(to, previous + 1.5);
  EXPECT_EQ(timer.unwaited(), 0);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(timer.tally().sends, 1);
  EXPECT_EQ(timer.tally().bytes, 8);
  EXPECT_GT(timer.tally().seconds, 0);
  EXPECT_THROW(MessageTimer(), std::logic_error);
}

TEST(AmgProduct, IsHypres) {
  // The last has more rows than hypre is given at once.
  for (const auto& [problem, cells] : {std::pair{"laplace", std::array<long long, 3>{8, 7, 9}},
                                       {"jumps", {8, 7, 9}},
                                       {"laplace", {66'000, 1, 1}}}) {
    AmgOptions options = options_of(cells);
    options.problem = problem;
    MadeReady at(options);
    AmgProduct product(world(), *at.source.rows);
    const std::vector<double> found = product(at.b.values());
    HYPRE_ParCSRMatrixMatvec(1, at.matrix.get(), at.b.get(), 0, at.x.get());
    const std::vector<double> expected = at.x.values();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-10 * (1 + std::abs(found[i])));
    EXPECT_LT(product.residual(at.x.values(), at.b.values()), 1e-10 * product.norm(found));
    std::vector<double> spoilt = at.b.values();
    spoilt[0] = std::nan("");
    EXPECT_TRUE(std::isnan(product.residual(at.x.values(), spoilt)));
  }
}

void expect_equal(const hypre_CSRMatrix* found, const hypre_CSRMatrix* expected) {
  ASSERT_EQ(hypre_CSRMatrixNumRows(found), hypre_CSRMatrixNumRows(expected));
  ASSERT_EQ(hypre_CSRMatrixNumCols(found), hypre_CSRMatrixNumCols(expected));
  ASSERT_EQ(hypre_CSRMatrixNumNonzeros(found), hypre_CSRMatrixNumNonzeros(expected));
  for (int i = 0; i <= hypre_CSRMatrixNumRows(found); ++i)
    ASSERT_EQ(hypre_CSRMatrixI(found)[i], hypre_CSRMatrixI(expected)[i]) << i;
  for (int e = 0; e < hypre_CSRMatrixNumNonzeros(found); ++e) {
    ASSERT_EQ(hypre_CSRMatrixJ(found)[e], hypre_CSRMatrixJ(expected)[e]) << e;
    ASSERT_EQ(hypre_CSRMatrixData(found)[e], hypre_CSRMatrixData(expected)[e]) << e;
  }
}

// Entry by entry in the same order, without which interpolation is cut off elsewhere and
// complexities and cycles are not those that hypre's test driver prints.
TEST(HypreMatrix, IsThatOfHypresOwnGenerator) {
  const Session& session = test_session();
  const std::array<int, 3> cells{12, 24, 6};
  const auto parts = least_surface(session.size(), cells);
  const auto at = Decomposition(cells, parts, false).coordinates(session.rank());
  const HypreLibrary library(0);
  for (const int stencil : {7, 27}) {
    AmgOptions options = options_of({cells[0], cells[1], cells[2]});
    options.stencil = stencil;
    const AmgSource source = stencil_matrix(options, session.rank(), session.size());
    const HypreMatrix matrix(world(), *source.rows);
    std::array<double, 4> values{6, -1, -1, -1};
    if (stencil == 27) values = {26, -1, 0, 0};
    const auto generate = stencil == 7 ? GenerateLaplacian : GenerateLaplacian27pt;
    const auto own = reinterpret_cast<hypre_ParCSRMatrix*>(
        generate(world(), cells[0], cells[1], cells[2], parts[0], parts[1], parts[2], at[0], at[1],
                 at[2], values.data()));
    const auto found = reinterpret_cast<hypre_ParCSRMatrix*>(matrix.get());
    expect_equal(hypre_ParCSRMatrixDiag(found), hypre_ParCSRMatrixDiag(own));
    expect_equal(hypre_ParCSRMatrixOffd(found), hypre_ParCSRMatrixOffd(own));
    hypre_ParCSRMatrixDestroy(own);
  }
}

TEST(HypreAmg, TellsItsHierarchy) {
  MadeReady at(options_of({20, 12, 12}));
  const AmgHierarchy hierarchy = at.amg.hierarchy(test_session());
  const int ranks = test_session().size();
  EXPECT_EQ(hierarchy.processes, ranks);
  ASSERT_GE(hierarchy.levels.size(), 3U);
  const AmgLevel& finest = hierarchy.levels.front();
  EXPECT_EQ(finest.unknowns, 2880);
  EXPECT_EQ(finest.active_processes, ranks);
  EXPECT_EQ(finest.solve.total_nonzeros, 7 * 2880 - 2 * (144 + 240 + 240));
  if (ranks == 1) {
    EXPECT_EQ(finest.solve.max_sends, 0);
    EXPECT_EQ(finest.solve.offd_share, 0);
  }
  if (ranks == 2) {  // two halves, 12 x 12 cells between them
    EXPECT_EQ(finest.solve.average_sends, 1);
    EXPECT_EQ(finest.solve.max_elements, 144);
    EXPECT_EQ(finest.solve.busiest_rows, 1440);
    EXPECT_DOUBLE_EQ(finest.solve.offd_share, 288 / finest.solve.total_nonzeros);
  }
  EXPECT_LE(hierarchy.levels.back().unknowns, 9);
  EXPECT_EQ(hierarchy.levels.back().interpolation.total_nonzeros, 0);
  const auto read = parse_hierarchies(to_json({hierarchy}), "written");
  EXPECT_EQ(to_json(read), to_json({hierarchy}));
  EXPECT_GT(at.times.coarsening, 0);
  EXPECT_GT(at.times.interpolation, 0);
  EXPECT_GT(at.times.product, 0);
}

TEST(HypreLibrary, RefusesAGpuThatItDoesNotComputeOn) {
  const std::string version = HypreLibrary::version();
  for (const auto& [device, built] : {std::pair{"cuda/NVIDIA H100", "CUDA"},
                                      {"kokkos/Cuda", "CUDA"},
                                      {"kokkos/HIP", "HIP"},
                                      {"kokkos/SYCL", "nothing"}}) {
    if (version.find(built) != std::string::npos) continue;
    try {
      HypreLibrary::check_gpu(device);
      ADD_FAILURE() << device;
    } catch (const BadEnvironment& error) {
      EXPECT_NE(std::string(error.what()).find(version), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(device), std::string::npos) << error.what();
    }
    EXPECT_EQ(hypre_memory(), HYPRE_MEMORY_HOST);
    EXPECT_EQ(hypre_gpu(), nullptr);
    EXPECT_EQ(hypre_halo(), "");
  }
}

// Several ranks' hypres on the first GPU of a node is what comes of a runtime of its own.
TEST(HypreLibrary, RefusesAnotherGpuThanTheRanks) {
  const GpuIdentity first{"NVIDIA H200", "GPU-1", "00000000:17:00.0", "CUDA 13.0"};
  GpuIdentity second = first;
  second.runtime = "CUDA 12.9";  // its own
  EXPECT_NO_THROW(require_same_gpu(second, first));
  second.uuid = "GPU-2";
  const auto refused = [&](const GpuIdentity& hypres) {
    try {
      require_same_gpu(hypres, first);
    } catch (const BadEnvironment& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(second).find("found hypre on NVIDIA H200 GPU-2 00000000:17:00.0, expected it "
                                 "where this rank is, on NVIDIA H200 GPU-1 00000000:17:00.0"),
            std::string::npos)
      << refused(second);
  second = first;
  second.pci_bus_id = "00000000:18:00.0";  // HIP tells no UUID
  EXPECT_NE(refused(second), "");
  EXPECT_NE(refused({}).find("found hypre on no GPU"), std::string::npos) << refused({});
}

TEST(HypreLibrary, SaysAllThatItsCodeForGpusLacks) {
  AmgOptions options;
  options.coarsening = "pmis";
  for (const char* relax : {"l1-jacobi", "chebyshev"})
    for (const char* interpolation : {"ext+i", "direct"}) {
      options.relax = relax;
      options.interpolation = interpolation;
      EXPECT_EQ(missing_on_gpu(options, true), "");
    }
  options.relax = "hybrid-gauss-seidel";
  EXPECT_EQ(
      missing_on_gpu(options, true),
      "--relax: found hybrid-gauss-seidel, expected l1-jacobi, chebyshev (Gauss-Seidel solves "
      "with triangles there)");
  options.relax = "l1-gauss-seidel";
  EXPECT_EQ(missing_on_gpu(options, true),
            "--relax: found l1-gauss-seidel, expected l1-jacobi, chebyshev");
  options.coarsening = "falgout";
  options.interpolation = "classical";
  const std::string all = missing_on_gpu(options, false);
  for (const char* one : {"--coarsening: found falgout, expected pmis; ",
                          "--interpolation: found classical, expected ext+i, direct; ",
                          "--overlap: found off, expected on"})
    EXPECT_NE(all.find(one), std::string::npos) << all;
}

TEST(HypreVector, GivesBackWhatItWasGiven) {
  MadeReady at(options_of({5, 4, 3}));
  std::vector<double> given = at.b.values();
  std::reverse(given.begin(), given.end());
  at.x.set_values(given);
  EXPECT_EQ(at.x.values(), given);
  EXPECT_NE(at.b.values(), given);
  at.x.set_zero();
  EXPECT_EQ(at.x.values(), std::vector<double>(given.size(), 0.));
  given.push_back(1);
  EXPECT_THROW(at.x.set_values(given), std::logic_error);
}

TEST(HypreAmg, ReadsItsSetupTimes) {
  HypreSetupTimes times;
  const std::string rest = detail::read_setup_times(
      "Proc = 0    Level = 0    Coarsen Time = 0.250000\n"
      "Proc = 0    Level = 0    Build Interp Time = 0.125000\n"
      "a warning\n"
      "Proc = 0    Level = 0    Build Coarse Operator Time = 1.000000\n"
      "Proc = 0    Level = 1    Coarsen Time = 0.500000\n",
      times);
  EXPECT_EQ(rest, "a warning\n");
  EXPECT_EQ(times.coarsening, 0.75);
  EXPECT_EQ(times.interpolation, 0.125);
  EXPECT_EQ(times.product, 1);
}

TEST(HypreAmg, ErrorsNameTheFunction) {
  const HypreLibrary library(0);
  try {
    check_hypre("HYPRE_Something", HYPRE_ERROR_GENERIC);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("HYPRE_Something"), std::string::npos);
  }
  EXPECT_THROW(check_hypre("HYPRE_Something", HYPRE_ERROR_MEMORY), BadEnvironment);
}

}  // namespace
}  // namespace bellwether
