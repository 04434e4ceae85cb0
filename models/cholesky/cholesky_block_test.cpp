// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_block.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/cholesky/cholesky_curve.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

Quantity exact(double value) { return Quantity::exact(value); }

/// Diagonal blocks of 40 us, 10 and 50 Gflop/s, columns in 1 us at 8e9 B/s; without start-ups.
Machine plain() {
  Machine machine;
  machine.name = "plain";
  machine.device.kind = "cpu";
  machine.device.memory_bandwidth_bytes_per_s = exact(1e10);
  machine.device.peak_flops_per_s = {{"f64", exact(1e11)}};
  CholeskyKernelRates rates;
  rates.update_start_up_s = rates.column_start_up_s = rates.scale_start_up_s = exact(0);
  rates.update = {{1e6, exact(1e10)}};
  rates.scale_bandwidth_bytes_per_s = exact(1e10);
  rates.blocks = {{64, exact(4e-5), exact(1e10), exact(5e10), exact(0), exact(0)}};
  CholeskyParameters own;
  own.kernels["f64"] = rates;
  own.broadcast_latency_s = exact(1e-6);
  own.broadcast_bandwidth_bytes_per_s = exact(8e9);
  set_section(machine, own);
  machine.links["network"].one_way.latency_s = exact(5e-6);
  machine.links["network"].one_way.bandwidth_bytes_per_s = exact(1e9);
  return machine;
}

CholeskyRun run(int size, int ranks, bool overlap = false, int per_node = 4) {
  return {.size = size,
          .precision = "f64",
          .ranks = ranks,
          .ranks_per_node = per_node,
          .overlap = overlap,
          .block = 64};
}

Prediction predict(const Machine& machine, const CholeskyRun& of) {
  return predict_cholesky(machine, of)[1];
}

TEST(CholeskyBlocks, OneRankIsTheSumOverItsPanels) {
  const int n = 640;
  double scale = 0, values = 0;
  for (int first = 0; first < n; first += 64) {
    scale += 4e-5 + 64. * 64 * (n - first - 64) / 1e10;
    for (int block = first + 64; block < n; block += 64) values += 64. * (n - block);
  }
  const Prediction p = predict(plain(), run(n, 1));
  EXPECT_NEAR(term(p, "compute.scale"), scale, 1e-12);
  EXPECT_NEAR(term(p, "compute.update"), 2 * 64 * values / 5e10, 1e-12);
  EXPECT_EQ(term(p, "wait"), 0);
  EXPECT_NEAR(p.total_s, scale + 2 * 64 * values / 5e10, 1e-12);
  EXPECT_TRUE(p.outside_range.empty());
  EXPECT_EQ(predict(plain(), run(n, 1, true)).total_s, p.total_s);
}

// Groups of 1024 columns, each product with the group's own square.
TEST(CholeskyBlocks, AGpuMultipliesWholeGroups) {
  Machine machine = plain();
  machine.device.kind = "gpu";
  const int n = 2560;
  double values = 0;
  for (int first = 64; first < n; first += 64)
    for (int begin = first; begin < n;) {
      const int end = std::min((begin / 1024 + 1) * 1024, n);
      values += 1. * (n - begin) * (end - begin);
      begin = end;
    }
  EXPECT_NEAR(term(predict(machine, run(n, 1)), "compute.update"), 2 * 64 * values / 5e10, 1e-9);
  // Of two processes, whose blocks lie 64 rows apart, each group stands in steps as on a CPU: half
  // of all values.
  values = 0;
  for (int first = 64; first < n; first += 64)
    for (int block = first; block < n; block += 64) values += 64. * (n - block);
  const double gathered = 2 * 8. * 64 * (n * (n / 64 - 1) / 2.) / 8e9;
  machine.device.memory_bandwidth_bytes_per_s = exact(8e9);
  machine.links["host_to_device"] = machine.links["device_to_host"] = machine.links["network"];
  machine.links["shared_memory"] = machine.links["network"];
  EXPECT_GE(term(predict(machine, run(n, 2)), "compute.update"),
            2 * 64 * values / 5e10 / 2 + gathered / 2 - 1e-9);
  EXPECT_LT(term(predict(machine, run(n, 2)), "compute.update"),
            1.2 * (2 * 64 * values / 5e10 / 2 + gathered));
}

TEST(CholeskyBlocks, TheFastestIsTakenOfThoseThatWereCalibrated) {
  Machine machine = plain();
  CholeskyParameters own = *section<CholeskyParameters>(machine);
  // Wide products twice as fast: worth it for one rank, not where 16 ranks share four panels.
  own.kernels["f64"].blocks.push_back(
      {256, exact(2.56e-3), exact(1e10), exact(1e11), exact(0), exact(0)});
  set_section(machine, own);
  const auto chosen = [&](int size, int ranks) {
    CholeskyRun asked = run(size, ranks);
    asked.block = 0;
    return with_block(machine, asked).block;
  };
  EXPECT_EQ(chosen(4096, 1), 128);
  EXPECT_EQ(chosen(1024, 16), 64);
  for (const auto& [size, ranks] : {std::pair(4096, 1), std::pair(1024, 16)})
    for (const int other : {64, 96, 128, 192, 256}) {
      CholeskyRun best = run(size, ranks), one = best;
      best.block = chosen(size, ranks);
      one.block = other;
      EXPECT_LE(predict(machine, best).total_s, predict(machine, one).total_s) << other;
    }
  EXPECT_EQ(chosen(20, 1), 20);                            // narrower than any
  EXPECT_EQ(with_block(machine, run(4096, 1)).block, 64);  // as asked for

  PredictionRequest request;
  request.ranks = {1, 16};
  request.ranks_per_node = 4;
  const auto points = cholesky_curve(machine, 1024, "f64", request, 0);
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points.back().layout, "cyclic blocks of 64");
}

TEST(CholeskyBlocks, TwoRanksTakeTurns) {
  // Three panels of 64: of rank 0 the first and third.
  const Prediction p = predict(plain(), run(192, 2));
  const auto panel = [](double rows) {
    return 4e-5 + 64 * 64 * (rows - 64) / 1e10 + 8 * rows * 64 / 8e9;
  };
  const auto way = [](double rows) { return 1e-6 + 8 * rows * 64 / 8e9; };
  const auto update = [](double rows) {
    return 2 * 64 * rows * 64 / 5e10 + 2 * 8. * 64 * 64 / 8e9;
  };
  // Rank 1 its second panel, then rank 0 the third one.
  EXPECT_NEAR(p.total_s,
              panel(192) + panel(128) + panel(64) + way(192) + way(128) + way(64) + update(128) +
                  update(64),
              1e-12);
  EXPECT_NEAR(term(p, "network.broadcast"), (way(192) + way(128) + way(64)) / 2, 1e-12);
  EXPECT_NEAR(term(p, "compute.scale"), (panel(192) + panel(128) + panel(64)) / 2, 1e-12);
}

TEST(CholeskyBlocks, LookAheadHidesThePanelsOfOthers) {
  Machine machine = plain();
  const Prediction off = predict(machine, run(6400, 2)), on = predict(machine, run(6400, 2, true));
  // Updates are long enough but for the last few: half of the panels' time is saved.
  const double saved = off.total_s - on.total_s;
  EXPECT_GT(saved, 0.9 * term(off, "compute.scale"));
  EXPECT_LT(term(on, "wait"), 0.2 * term(off, "wait"));
  // What a receiver copies itself is not hidden.
  EXPECT_GT(term(on, "network.broadcast"), 0.9 * term(off, "network.broadcast"));
}

TEST(CholeskyBlocks, WithoutTheSectionTheyAreDerivedAndSaySo) {
  Machine machine = full_machine();
  machine.sections.erase("cholesky");
  const auto notes = predict(machine, run(2000, 4)).outside_range;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("no cholesky.kernels.f64.blocks") != std::string::npos;
  }));
  CholeskyRun wide = run(2000, 4);
  wide.block = 500;
  const auto beyond = predict(plain(), wide).outside_range;
  EXPECT_TRUE(std::any_of(beyond.begin(), beyond.end(), [](const std::string& note) {
    return note.find("blocks of 500 columns, calibrated from 64 to 64") != std::string::npos;
  }));
  // Every machine has something to say.
  for (const Machine& shipped : shipped_machines())
    EXPECT_GT(predict(shipped, run(2000, 4)).total_s, 0) << shipped.name;
}

TEST(CholeskyBlocks, ColumnsComeFromTheSectionToo) {
  CholeskyRun by_columns = run(300, 2);
  by_columns.block = 1;
  const Prediction p = predict(plain(), by_columns);
  double values = 0, sent = 0;
  for (int j = 0; j < 300; ++j) {
    sent += 1e-6 + 8. * (300 - j) / 8e9;
    values += static_cast<double>(j) * (300 - j);
  }
  EXPECT_NEAR(term(p, "compute.update"), 16 * values / 2 / 1e10, 1e-12);
  EXPECT_NEAR(term(p, "network.broadcast"), sent / 2, 1e-12);
}

RC_GTEST_PROP(CholeskyBlocks, TermsAddUp, ()) {
  Machine machine = full_machine();
  if (*rc::gen::inRange(0, 2) == 0) machine.sections.erase("cholesky");
  CholeskyRun off =
      run(*rc::gen::inRange(1, 8000), *rc::gen::inRange(1, 100), false, *rc::gen::inRange(1, 9));
  off.block = *rc::gen::inRange(2, 300);
  CholeskyRun on = off;
  on.overlap = true;
  const Prediction slow = predict(machine, off), fast = predict(machine, on);
  for (const Prediction* p : {&slow, &fast}) {
    double sum = 0;
    for (const Term& one : p->terms) {
      RC_ASSERT(std::isfinite(one.seconds) && one.seconds >= 0);
      RC_ASSERT(one.low <= one.seconds && one.seconds <= one.high);
      sum += one.seconds;
    }
    RC_ASSERT(std::abs(sum - p->total_s) <= 1e-12 * p->total_s);
    RC_ASSERT(p->hidden_fraction >= 0 && p->hidden_fraction <= 1);
  }
}

}  // namespace
}  // namespace bellwether
