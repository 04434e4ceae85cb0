// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/network/topology.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/step/engine.hpp"

namespace bellwether {
namespace {

constexpr double latency = 1e-6, bandwidth = 1e9;

/// Ranks that compute in no time, a node each: 1 us and 1e9 B/s.
Machine messages_alone() {
  const Quantity fast = Quantity::exact(1e30), none = Quantity::exact(0);
  Machine machine;
  machine.device.kind = "cpu";
  machine.device.peak_flops_per_s = {{"f64", fast}};
  machine.device.memory_bandwidth_bytes_per_s = fast;
  CholeskyKernelRates rates;
  rates.update_start_up_s = rates.column_start_up_s = rates.scale_start_up_s = none;
  rates.update = {{1e6, fast}};
  rates.scale_bandwidth_bytes_per_s = fast;
  rates.blocks = {{64, none, fast, fast, none, none}};
  CholeskyParameters own;
  own.kernels["f64"] = rates;
  set_section(machine, own);
  machine.links["network"].one_way.latency_s = Quantity::exact(latency);
  machine.links["network"].one_way.bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  return machine;
}

CholeskyRun run(int size, int ranks, int block) {
  return {.size = size, .precision = "f64", .ranks = ranks, .block = block};
}

StepTimes times_of(const Machine& machine, const CholeskyRun& of, DrawnDelays* delays = nullptr) {
  const ColumnCosts columns(machine, of.precision, 1, of.ranks > 1);
  std::vector<std::string> notes;
  const CholeskyProgram program(machine, of, columns, Bound::value, notes);
  return evaluate(program, delays);
}

TEST(CholeskyProgram, SmallColumnsShareTheirOwnersLink) {
  // From the first of eight to three ranks at once; the last column has the way of all but is not
  // waited for by a next owner. Column after column to the next owner, then the last to all: from
  // a rank with three children over one with two to one with one to the last.
  const int n = 12;
  double total = 0;
  for (int j = 0; j < n - 1; ++j) total += latency + 3 * 8. * (n - j) / bandwidth;
  total += 3 * latency + (3 + 2 + 1) * 8. / bandwidth;
  // There it waits for messages of the column before.
  const double waited = times_of(messages_alone(), run(n, 8, 1)).total_s - total;
  EXPECT_GE(waited, 0);
  EXPECT_LE(waited, 1.01 * 3 * 8 / bandwidth);
}

TEST(CholeskyProgram, LargePanelsLeaveInTurnForWhoHasTakenTheLastOne) {
  // Four panels of four ranks, too large to be copied aside: the next owner has the first after one
  // message, the rank behind that after two. Panel 1 goes from rank 1 to 2, which is there, and to
  // 3 once that has panel 0, after three; from there to 0. Panel 2 goes from 2 to 3, 0 and 1, one
  // after another, and panel 3 to 0, 1 and 2, each after that has panel 2.
  double b[4];
  for (int panel = 0; panel < 4; ++panel) b[panel] = 8. * 64 * (256 - 64 * panel) / bandwidth;
  const StepTimes all = times_of(messages_alone(), run(256, 4, 64));
  EXPECT_NEAR(all.total_s, 9 * latency + 3 * b[0] + 2 * b[1] + 2 * b[2] + 2 * b[3], 1e-12);
  EXPECT_NEAR(all.mean[network] + all.mean[waiting], all.total_s, 1e-12);
}

TEST(CholeskyProgram, MessagesAboveTheEagerLimitWaitForTheirReceivers) {
  // As above, but copied aside: nobody waits for who is late.
  Machine machine = messages_alone();
  const double waits = times_of(machine, run(256, 4, 64)).total_s;
  machine.links["network"].eager_limit_bytes = Quantity::exact(1 << 20);
  const double copied = times_of(machine, run(256, 4, 64)).total_s;
  EXPECT_LT(copied, waits);
  // Columns of up to 2 KiB were copied aside all the same, where nothing was measured.
  const double small = times_of(messages_alone(), run(256, 4, 1)).total_s;
  EXPECT_DOUBLE_EQ(times_of(machine, run(256, 4, 1)).total_s, small);
  machine.links["network"].eager_limit_bytes = Quantity::exact(0);
  EXPECT_GT(times_of(machine, run(256, 4, 1)).total_s, small);
}

TEST(CholeskyProgram, PanelsThatStandForOthersAreNotLateForTheirs) {
  // 109 of 256 panels on 600 ranks. All of them, walked through once, take 2.517 s; from the first
  // to the last alone those looked at would take 2.682, since who is late with larger ones is late
  // for longer the further apart they lie.
  EXPECT_NEAR(times_of(messages_alone(), run(16384, 600, 64)).total_s, 2.517, 0.035 * 2.517);
}

TEST(CholeskyProgram, OneSwitchIsAFlatNetwork) {
  Machine machine = messages_alone();
  const StepTimes flat = times_of(machine, run(2048, 8, 1)),
                  blocks = times_of(machine, run(512, 8, 64));
  machine.topology = parse_topology("fat-tree:8");
  EXPECT_NEAR(times_of(machine, run(2048, 8, 1)).total_s, flat.total_s, 1e-9 * flat.total_s);
  EXPECT_NEAR(times_of(machine, run(512, 8, 64)).total_s, blocks.total_s, 1e-9 * blocks.total_s);
}

TEST(CholeskyProgram, OnARingTheNextOwnerIsNear) {
  // Its bytes are through before the others', but for those of other columns.
  Machine machine = messages_alone();
  const int n = 64;
  const double flat = times_of(machine, run(n, 8, 1)).next_way_s;
  machine.topology = parse_topology("torus:8");
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  machine.topology->hop_latency_s = Quantity::exact(latency);
  const double ring = times_of(machine, run(n, 8, 1)).next_way_s,
               bytes_s = 8. * n * (n + 1) / 2 / bandwidth;
  EXPECT_GT(ring, n * latency + bytes_s);
  EXPECT_LT(ring, flat);
  EXPECT_NEAR(flat, n * latency + 3 * bytes_s, 1e-7);
}

TEST(CholeskyProgram, MessagesUnderWayKeepWhatTheyHaveOfALink) {
  // Four switches with one way out each; SimGrid's replay of the trace took 17.30 ms. Were those
  // under way not to give, and those that come to get their part all the same, it would be 14.18.
  Machine machine = messages_alone();
  machine.topology = parse_topology("fat-tree:4x4/4");
  EXPECT_NEAR(times_of(machine, run(1024, 16, 64)).total_s / 17.30e-3, 1, 0.06);
}

TEST(CholeskyProgram, WhatIsTakenOfTheRanksOwnTimeIsNotHidden) {
  // Two ranks of a node, far busier than their messages: with overlap each pays for each column, as
  // its sender or as its receiver; without, who is waited for never sends at the same time.
  Machine machine = messages_alone();
  auto own = *section<CholeskyParameters>(machine);
  own.kernels["f64"].update = {{1e6, Quantity::exact(16e9)}};
  own.broadcast_latency_s = Quantity::exact(1e-6);
  own.broadcast_bandwidth_bytes_per_s = Quantity::exact(1e12);
  set_section(machine, own);
  const int n = 4000;  // of which the last 63 columns take less to update than to send
  CholeskyRun both = run(n, 2, 1);
  both.ranks_per_node = 2;
  const auto total_s = [&](bool overlap, double overhead_s) {
    own.broadcast_overhead_s = Quantity::exact(overhead_s);
    set_section(machine, own);
    both.overlap = overlap;
    return times_of(machine, both).total_s;
  };
  EXPECT_NEAR(total_s(true, 4e-7) - total_s(true, 0), n * 4e-7, 0.03 * n * 4e-7);
  EXPECT_NEAR(total_s(false, 4e-7), total_s(false, 0), 1e-9);
  // Of a latency it can be no more than all.
  EXPECT_NEAR(total_s(true, 1), total_s(true, 1e-6), 1e-9);
}

/// Columns of ranks that wait for each owner in turn: seconds beyond the work and the mean rank's
/// own detours, by doing them; 1 ns a value, messages free.
double simulated_wait(int n, int ranks, double per_s, double mean_s, bool overlap) {
  std::mt19937_64 random(7);
  std::vector<double> now(static_cast<std::size_t>(ranks));
  double own = 0;
  const auto work = [&](double& clock, double seconds, bool noisy) {
    clock += seconds;
    if (!noisy) return;
    for (int left = std::poisson_distribution<int>(per_s * seconds)(random); left > 0; --left) {
      const double detour = std::exponential_distribution<double>(1 / mean_s)(random);
      clock += detour;
      own += detour / ranks;
    }
  };
  const auto run = [&](bool noisy) {
    std::fill(now.begin(), now.end(), 0.);
    for (int column = 0; column + 1 < n; ++column) {
      std::vector<double> values(now.size());
      for (int behind = column + 1; behind < n; ++behind)
        values[static_cast<std::size_t>(behind % ranks)] += n - behind;
      const auto owner = static_cast<std::size_t>((column + 1) % ranks);
      const double first = overlap ? n - column - 1 : values[owner];
      work(now[owner], 1e-9 * first, noisy);
      const double ready = now[owner];
      work(now[owner], 1e-9 * (values[owner] - first), noisy);
      for (std::size_t rank = 0; rank < now.size(); ++rank) {
        if (rank == owner) continue;
        work(now[rank], 1e-9 * values[rank], noisy);
        now[rank] = std::max(now[rank], ready);
      }
    }
    return *std::max_element(now.begin(), now.end());
  };
  const double quiet = run(false);
  return run(true) - quiet - own;
}

TEST(CholeskyProgram, WithDetoursWaitsAsColumnsThatAreDoneOneByOne) {
  Machine machine = messages_alone();
  auto own = *section<CholeskyParameters>(machine);
  own.kernels["f64"].update = {{1e6, Quantity::exact(16e9)}};
  set_section(machine, own);
  machine.links["network"].one_way.latency_s = Quantity::exact(1e-12);
  machine.links["network"].one_way.bandwidth_bytes_per_s = Quantity::exact(1e15);
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(2000);
  noise.lengths = {{0, 1e-9}};
  noise.tail = DetourTail{Quantity::exact(1e-4), Quantity::exact(0)};
  set_section(machine, noise);
  for (const int ranks : {2, 3})
    for (const bool overlap : {false, true}) {
      CholeskyRun of = run(1500, ranks, 1);
      of.overlap = overlap;
      const StepTimes quiet = times_of(machine, of);
      Prediction prediction;
      prediction.total_s = quiet.total_s;
      add_drawn_wait(
          machine, ranks, 1,
          [&](DrawnDelays& delays) {
            const StepTimes late = times_of(machine, of, &delays);
            return DelayedRun{late.total_s, late.delays_s};
          },
          prediction);
      ASSERT_FALSE(prediction.terms.empty());
      double expected = 0;
      constexpr int times = 4;
      for (int time = 0; time < times; ++time)
        expected += simulated_wait(of.size, ranks, 2000, 1e-4, overlap) / times;
      EXPECT_NEAR(prediction.terms[0].seconds, expected, 0.15 * expected) << ranks << overlap;
    }
}

TEST(CholeskyProgram, WhatOfMessagesBetweenNodesCannotBeHiddenIsTheirSendersTimeToo) {
  Machine machine = messages_alone();
  auto own = *section<CholeskyParameters>(machine);
  own.kernels["f64"].update = {{1e6, Quantity::exact(16e9)}};
  set_section(machine, own);
  const int n = 2000;
  CholeskyRun of = run(n, 2, 1);
  of.overlap = true;
  const double hidden = times_of(machine, of).total_s;
  machine.links["network"].exposed_exchange = {{1, Quantity::exact(1)}};
  // One-way times twice, half of that each; its receiver gives the whole way.
  double ways = 0;
  for (int column = 0; column < n; ++column) ways += latency + 8. * (n - column) / bandwidth;
  EXPECT_NEAR(times_of(machine, of).total_s - hidden, ways, 0.05 * ways);
}

TEST(CholeskyProgram, WhoPassesOnLooksBetweenPieces) {
  // 300000 values at 1 ns each, in the mini-app's pieces: whole ones, or all of them.
  Machine machine = messages_alone();
  auto own = *section<CholeskyParameters>(machine);
  own.kernels["f64"].update = {{1e6, Quantity::exact(16e9)}};
  set_section(machine, own);
  CholeskyRun overlapping = run(1600, 4, 1);
  overlapping.overlap = true;
  const auto seen_after_s = times_of(machine, overlapping).seen_after_s;
  bool in_between = false;
  for (std::size_t panel = 1; panel < 200; ++panel) {
    const double pieces = seen_after_s[panel][2] / (1e-9 * cholesky_piece_values);
    if (pieces < 10) {
      in_between = in_between || pieces > 0;
      EXPECT_NEAR(pieces, std::round(pieces), 1e-4) << panel;
    }
  }
  EXPECT_TRUE(in_between);
}

}  // namespace
}  // namespace bellwether
