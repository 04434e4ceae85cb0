// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/cholesky/cholesky_curve.hpp"
#include "models/cholesky/cholesky_program.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"
#include "models/network/test_links.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

/// A made-up machine without curves or segments: f64 peak 1e11, memory 16e9 B/s (1 ns for a value
/// read and written), launches 1 us; shared memory 1 us and 8e9 B/s, network 4 us and 2e9 B/s.
Machine plain() {
  const auto exact = [](double value) { return Quantity::exact(value); };
  Machine machine;
  machine.name = "plain";
  machine.device.name = "plain";
  machine.device.kind = "cpu";
  machine.device.peak_flops_per_s = {{"f64", exact(1e11)}};
  machine.device.memory_bandwidth_bytes_per_s = exact(16e9);
  machine.device.launch_latency_s = exact(1e-6);
  machine.links["shared_memory"].one_way = line(1e-6, 8e9);
  machine.links["network"].one_way = line(4e-6, 2e9);
  return machine;
}

Prediction predict(const Machine& machine, const CholeskyRun& run) {
  return predict_cholesky_refined(
      machine, run,
      ColumnCosts(machine, run.precision, std::min(run.ranks, run.ranks_per_node), run.ranks > 1));
}

CholeskyRun f64(int size, int ranks, int ranks_per_node, bool overlap = false) {
  return {size, "f64", ranks, ranks_per_node, overlap, 1};
}

/// Two ranks of the plain machine, a rank a node, walked through column by column.
struct TwoRanks {
  double clock[2] = {0, 0};
  double way_s = 0;

  TwoRanks(int n, double latency_s, bool overlap, double hideable) {
    const auto scaled = [](double values) { return 1e-6 + 1e-9 * values; };
    for (int j = 0; j < n; ++j) {
      // Of rank `owner`, of its columns behind column j - 1, and of the other's.
      const int owner = j % 2, other = 1 - owner;
      double updated[2] = {0, 0};
      for (int k = j; k < n; ++k) updated[(k - j) % 2] += j == 0 ? 0 : 1e-9 * (n - k);
      const double start_up = j == 0 ? 0 : 1e-6, own = updated[0] + start_up;
      const double first = j == 0 ? 0 : overlap ? std::min(own, 1e-9 * (n - j)) : own;
      const double way = latency_s + 8. * (n - j) / 2e9;
      clock[owner] += first + scaled(n - j);
      const double copied = (1 - hideable) * way, there = clock[owner] + way - copied;
      clock[owner] += own - first + copied;
      clock[other] = std::max(clock[other] + updated[1] + start_up, there) + copied;
      way_s += way;
    }
  }
  [[nodiscard]] double total_s() const { return std::max(clock[0], clock[1]); }
};

RC_GTEST_PROP(CholeskyRefined, TwoRanksAreTheirWalk, ()) {
  Machine machine = plain();
  const double latency = 1e-9 * *rc::gen::inRange(0, 3000);
  const double hideable = *rc::gen::inRange(0, 11) / 10.0;
  machine.links["network"].one_way.latency_s = Quantity::exact(latency);
  machine.links["network"].exposed_exchange = {{1, Quantity::exact(1 - hideable)}};
  const int n = *rc::gen::inRange(2, 400);
  const bool overlap = *rc::gen::inRange(0, 2) == 0;
  const TwoRanks walked(n, latency, overlap, hideable);
  const Prediction p = predict(machine, f64(n, 2, 1, overlap));
  RC_ASSERT(std::abs(p.total_s - walked.total_s()) <= 1e-9 * p.total_s);
  RC_ASSERT(std::abs(p.communication_s - walked.way_s) <= 1e-9 * p.communication_s);
}

TEST(CholeskyRefined, TermsOfTwoRanksInTurns) {
  // Without overlap one rank works at a time, but for the updates: each waits for the other half
  // of what is scaled, and for half of all ways.
  const double n = 33, way = 33 * 4e-6 + 8 * 33 * 34 / 2. / 2e9;
  const Prediction p = predict(plain(), f64(33, 2, 1));
  EXPECT_NEAR(term(p, "compute.scale"), (1e-9 * n * (n + 1) / 2 + 1e-6 * n) / 2, 1e-12);
  EXPECT_NEAR(term(p, "network.broadcast"), way / 2, 1e-12);
  EXPECT_NEAR(p.communication_s, way, 1e-12);
  EXPECT_EQ(p.hidden_fraction, 0);
  // Of all values updated each has half.
  EXPECT_NEAR(term(p, "compute.update"), 1e-9 * n * (n * n - 1) / 6 / 2 + 32e-6, 1e-12);
}

TEST(CholeskyRefined, ColumnsThatOthersStandForMissLittle) {
  // Of 1024 columns 109 are looked at. Each goes to ten ranks at once, small enough for all.
  const int n = 1024, ranks = 600;
  double total = 0;
  for (int j = 0; j < n; ++j) {
    total += 1e-6 + 1e-9 * (n - j) + 4e-6 + 10 * 8. * (n - j) / 2e9;
    for (int k = j + 1; k < n; k += ranks) total += 1e-9 * (n - k);
    if (j + 1 < n) total += 1e-6;
  }
  EXPECT_NEAR(predict(plain(), f64(n, ranks, 1)).total_s / total, 1, 0.005);
}

TEST(CholeskyRefined, OneRankOnlyComputes) {
  const Prediction off = predict(plain(), f64(200, 1, 1));
  const Prediction on = predict(plain(), f64(200, 1, 1, true));
  EXPECT_EQ(off.total_s, on.total_s);
  EXPECT_NEAR(off.total_s, 1e-9 * (200. * (40000 - 1) / 6 + 200 * 201 / 2.) + 1e-6 * 399, 1e-12);
  EXPECT_EQ(term(off, "network.broadcast"), 0);
  Machine alone = plain();
  alone.links.clear();
  EXPECT_GT(predict(alone, f64(200, 1, 1)).total_s, 0);
  EXPECT_THROW(predict(alone, f64(200, 2, 1)), BadInput);
  EXPECT_GT(predict(plain(), f64(1, 4, 4)).total_s, 0) << "one column, nothing to send";
}

TEST(CholeskyRefined, UsesTheFittedConstantsWhereTheMachineHasThem) {
  const double n = 2500;
  const Prediction p = predict(find_machine("paragon"), {2500, "f32", 1, 1, false, 1});
  EXPECT_NEAR(term(p, "compute.update"), n * (n * n - 1) / 3 / 33.8e6 + n * (n - 1) / 2 * 0.94e-6,
              1e-6);
  EXPECT_NEAR(term(p, "compute.scale"), (n * n + n) / 0.38e6 + n * 0.0017e-6, 1e-6);
  EXPECT_EQ(term(p, "wait"), 0);
  EXPECT_TRUE(p.outside_range.empty());
  const Prediction many = predict(find_machine("paragon"), {2500, "f32", 64, 1, false, 1});
  // 4 bytes at 22.6 MB/s, no latency, to one rank alone; SimGrid 3.32 takes 21.464 s for its trace.
  EXPECT_GT(term(many, "network.broadcast"), 4 / 22.6e6 * n * (n + 1) / 2);
  EXPECT_NEAR(many.total_s, 21.464, 0.005 * 21.464);
  EXPECT_GT(term(many, "compute.update"), n * (n * n - 1) / 3 / 33.8e6 / 64 / 0.983);
}

TEST(CholeskyRefined, GpuCopiesEachColumnAndHidesThemToo) {
  Machine machine = plain();
  machine.device.kind = "gpu";
  machine.links["device_to_host"].one_way = line(2e-6, 3e9);
  machine.links["host_to_device"].one_way = line(1e-6, 5e9);
  const double sent = 8. * 200 * 201 / 2;
  // Of two ranks each copies half of the columns down and the others up.
  const Prediction off = predict(machine, f64(200, 2, 1));
  EXPECT_NEAR(term(off, "copy.to_host"), (200 * 2e-6 + sent / 3e9) / 2, 1e-12);
  EXPECT_NEAR(term(off, "copy.to_device"), (200 * 1e-6 + sent / 5e9) / 2, 1e-12);
  const Prediction on = predict(machine, f64(200, 2, 1, true));
  EXPECT_EQ(term(on, "copy.to_host"), 0);
  EXPECT_NEAR(on.communication_s, 200 * (4e-6 + 3e-6) + sent * (1 / 2e9 + 1 / 3e9 + 1 / 5e9),
              1e-12);
}

TEST(CholeskyRefined, SmallMatricesRunAtTheCachesRate) {
  Machine machine = full_machine();
  for (const char* section : {"start_up", "cholesky"}) machine.sections.erase(section);
  machine.device.launch_latency_s.reset();  // which counts more for the small
  const double small = term(predict(machine, f64(60, 1, 1)), "compute.update");
  const double large = term(predict(machine, f64(6000, 1, 1)), "compute.update");
  EXPECT_LT(small / (60. * 60 * 60), 0.5 * large / (6000. * 6000 * 6000));
}

TEST(CholeskyRefined, NotesWhatIsDerivedAndOutside) {
  Machine machine = full_machine();
  for (const char* section : {"start_up", "cholesky"}) machine.sections.erase(section);
  const auto noted = [&](const CholeskyRun& run, const std::string& what) {
    const std::vector<std::string> notes = predict(machine, run).outside_range;
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(noted(f64(1000, 4, 4), "not calibrated: full has no start_up section"));
  EXPECT_TRUE(noted(f64(20000, 4, 4), "beyond the calibrated memory curve"));
  EXPECT_FALSE(noted(f64(1000, 4, 4), "beyond the calibrated memory curve"));
  EXPECT_TRUE(noted(f64(10000000, 4, 4), "calibrated up to 67108864"));
  EXPECT_TRUE(noted(f64(10, 16, 4), "16 ranks for 10 columns"));
}

TEST(CholeskyRefined, BothFormsOfARun) {
  const CholeskyRun run = f64(500, 6, 4, true);
  const std::vector<Prediction> forms = predict_cholesky(plain(), run);
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_EQ(forms[0].form, "paper");
  EXPECT_EQ(forms[1].form, "refined");
  EXPECT_EQ(forms[1].total_s, predict(plain(), run).total_s);
}

TEST(CholeskyRefined, CurveHasEveryPointInItsOrder) {
  const std::vector<ScalingPoint> points =
      cholesky_curve(find_machine("vpp500"), 5000, "f32", {.ranks = {1, 16}});
  ASSERT_EQ(points.size(), 8u);
  EXPECT_EQ(points[5].ranks, 16);
  EXPECT_FALSE(points[5].overlap);
  EXPECT_EQ(points[5].form, "refined");
  EXPECT_EQ(points[5].choice.at("distribution"), "cyclic columns");
  EXPECT_EQ(points[5].prediction.total_s,
            predict(find_machine("vpp500"), {5000, "f32", 16, 1, false, 1}).total_s);
  EXPECT_THROW(cholesky_curve(find_machine("vpp500"), 5000, "f32", {{1}, {false}, {"other"}, 1}),
               BadInput);
}

/// A curve point of the full machine, with and without overlap, and what must hold of both.
RC_GTEST_PROP(CholeskyRefined, TermsAddUp, ()) {
  Machine machine = full_machine();
  for (const char* section : {"cholesky", "start_up"})
    if (*rc::gen::inRange(0, 2) == 0) machine.sections.erase(section);
  const int size = *rc::gen::inRange(1, 1500);
  const int ranks = *rc::gen::inRange(1, 100);
  const int per_node = *rc::gen::inRange(1, 9);
  const Prediction off = predict(machine, f64(size, ranks, per_node));
  const Prediction on = predict(machine, f64(size, ranks, per_node, true));
  for (const Prediction* p : {&off, &on}) {
    double sum = 0;
    for (const Term& one : p->terms) {
      RC_ASSERT(std::isfinite(one.seconds) && one.seconds >= 0);
      RC_ASSERT(one.low <= one.seconds && one.seconds <= one.high);
      sum += one.seconds;
    }
    RC_ASSERT(std::abs(sum - p->total_s) <= 1e-12 * p->total_s);
    RC_ASSERT(p->low_s <= p->total_s && p->total_s <= p->high_s);
    RC_ASSERT(p->hidden_fraction >= 0 && p->hidden_fraction <= 1 + 1e-12);
  }
  const Prediction larger = predict(machine, f64(size + size / 2 + 1, ranks, per_node));
  RC_ASSERT(larger.total_s > off.total_s);
}

RC_GTEST_PROP(CholeskyRefined, SpeedUpIsAtMostTheRankCount, ()) {
  const int size = *rc::gen::inRange(1, 1500);
  const int ranks = *rc::gen::inRange(1, 100);
  const Machine machine = plain();
  const double one = predict(machine, f64(size, 1, 1)).total_s;
  RC_ASSERT(one / predict(machine, f64(size, ranks, 2, true)).total_s <= ranks * (1 + 1e-12));
}

TEST(CholeskyRefined, ImbalanceIsOfEachColumnsUpdate) {
  EXPECT_EQ(predict(plain(), f64(300, 1, 1)).imbalance_s, 0);
  // Column by column: values of the rank that owns the next one, and the mean, which compute.update
  // is.
  const int ranks = 4, size = 30;
  double most = 0, mean = 0;
  for (int left = 1; left < size; ++left) {
    for (int column = left; column > 0; column -= ranks) most += column;
    mean += left * (left + 1) / 2. / ranks;
  }
  Machine machine = plain();
  machine.device.launch_latency_s.reset();  // then all of compute.update is its values
  const Prediction p = predict(machine, f64(size, ranks, ranks));
  EXPECT_NEAR(p.imbalance_s, term(p, "compute.update") * (most / mean - 1),
              1e-9 * term(p, "compute.update"));
  EXPECT_GT(p.imbalance_s, 0);
}

TEST(CholeskyRefined, OverlapOfTwoRanksSaves) {
  for (const int size : {100, 1000, 4000})
    EXPECT_LT(predict(plain(), f64(size, 2, 1, true)).total_s,
              predict(plain(), f64(size, 2, 1)).total_s);
}

}  // namespace
}  // namespace bellwether
