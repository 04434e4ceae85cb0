// SPDX-License-Identifier: MIT
// Traces by themselves: every message is received as it was sent, and no rank waits for ever.
#include "models/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "models/airfoil/airfoil_curve.hpp"
#include "models/amg/amg_curve.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/hpl/hpl_curve.hpp"
#include "models/stencil/stencil_curve.hpp"

namespace bellwether {
namespace {

/// One rank a node, a network alone.
Machine plain_machine() {
  Machine machine;
  machine.name = "plain";
  machine.layout = {.ranks = 4096, .ranks_per_node = 1};
  machine.device.kind = "cpu";
  machine.device.peak_flops_per_s = {{"f32", Quantity::exact(2e12)},
                                     {"f64", Quantity::exact(1e12)}};
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e11);
  machine.device.gemm_flops_per_s["f64"] = Quantity::exact(8e11);
  LinkTiming& timing = machine.links["network"].one_way;
  timing.latency_s = Quantity::exact(2e-6);
  timing.bandwidth_bytes_per_s = Quantity::exact(1e10);
  machine.links["network"].exchange = timing;
  return machine;
}

struct Operation {
  enum Kind {
    compute,
    start_receive,
    start_send,
    wait_received,
    wait_sent,
    wait_all,
    allreduce
  } kind;
  int peer = 0, tag = 0;
  double amount = 0;  ///< bytes or seconds
};

class Recorder final : public TraceSink {
 public:
  std::vector<Operation> all;
  void compute(double seconds) override { all.push_back({Operation::compute, 0, 0, seconds}); }
  void start_receive(int from, double bytes, int tag) override {
    all.push_back({Operation::start_receive, from, tag, bytes});
  }
  void start_send(int to, double bytes, int tag) override {
    all.push_back({Operation::start_send, to, tag, bytes});
  }
  void wait_received(int from, int tag) override {
    all.push_back({Operation::wait_received, from, tag});
  }
  void wait_sent(int to, int tag) override { all.push_back({Operation::wait_sent, to, tag}); }
  void wait_all() override { all.push_back({Operation::wait_all}); }
  void allreduce(double bytes) override { all.push_back({Operation::allreduce, 0, 0, bytes}); }
};

/// Lets all ranks go as far as they can. Nothing is copied aside: a message is through once it is
/// sent and its receive was started, and neither side's wait ends before.
class Replay {
 public:
  explicit Replay(const Trace& trace) {
    for (int rank = 0; rank < trace.ranks(); ++rank) {
      Recorder recorder;
      trace.step(rank, recorder);
      ranks_.push_back({std::move(recorder.all), 0, {}, 0});
    }
  }
  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
        while (go_on(rank)) moved = true;
    }
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      const Rank& one = ranks_[static_cast<std::size_t>(rank)];
      ASSERT_EQ(one.next, one.operations.size()) << "rank " << rank << " waits for ever";
      EXPECT_TRUE(one.under_way.empty()) << "rank " << rank << " leaves messages alone";
      EXPECT_EQ(one.reductions, ranks_.front().reductions) << "rank " << rank;
    }
    for (const auto& [way, traffic] : ways_)
      EXPECT_EQ(traffic.sent, traffic.received)
          << "from " << std::get<0>(way) << " to " << std::get<1>(way);
  }
  int messages = 0;
  double seconds = 0;

 private:
  using Way = std::tuple<int, int, int>;  ///< from, to, tag
  struct Messages {
    std::vector<double> sent, received;  ///< bytes of those started
  };
  struct Started {
    Way way;
    bool is_send;
    std::size_t number;  ///< of the way's
  };
  struct Rank {
    std::vector<Operation> operations;
    std::size_t next;
    std::deque<Started> under_way;
    int reductions;
  };

  void start(Rank& me, const Way& way, bool is_send, double bytes) {
    std::vector<double>& side = is_send ? ways_[way].sent : ways_[way].received;
    me.under_way.push_back({way, is_send, side.size()});
    side.push_back(bytes);
  }
  bool is_through(const Started& one) {
    const Messages& traffic = ways_[one.way];
    return one.number < traffic.sent.size() && one.number < traffic.received.size();
  }
  /// The first that is under way.
  bool wait(Rank& me, const Way& way, bool is_send) {
    const auto found =
        std::find_if(me.under_way.begin(), me.under_way.end(),
                     [&](const Started& one) { return one.way == way && one.is_send == is_send; });
    if (found == me.under_way.end()) {
      ADD_FAILURE() << "waits for what was not started";
      return true;
    }
    if (!is_through(*found)) return false;
    me.under_way.erase(found);
    return true;
  }
  bool go_on(int rank) {
    Rank& me = ranks_[static_cast<std::size_t>(rank)];
    if (me.next == me.operations.size()) return false;
    const Operation& now = me.operations[me.next];
    const Way from{now.peer, rank, now.tag}, to{rank, now.peer, now.tag};
    switch (now.kind) {
      case Operation::compute:
        EXPECT_GE(now.amount, 0);
        seconds += now.amount;
        break;
      case Operation::start_receive:
        start(me, from, false, now.amount);
        break;
      case Operation::start_send:
        EXPECT_NE(now.peer, rank);
        EXPECT_GT(now.amount, 0);
        start(me, to, true, now.amount);
        ++messages;
        break;
      case Operation::wait_received:
        if (!wait(me, from, false)) return false;
        break;
      case Operation::wait_sent:
        if (!wait(me, to, true)) return false;
        break;
      case Operation::wait_all:
        for (; !me.under_way.empty(); me.under_way.pop_front())
          if (!is_through(me.under_way.front())) return false;
        break;
      case Operation::allreduce:
        ++me.reductions;
        break;
    }
    ++me.next;
    return true;
  }

  std::vector<Rank> ranks_;
  std::map<Way, Messages> ways_;
};

AmgFamily family_of(int processes) {
  AmgHierarchy hierarchy;
  hierarchy.processes = processes;
  for (const double unknowns : {1e6, 1e5, 2e3, 9.}) {
    AmgLevel level{unknowns, std::min<double>(processes, unknowns / 2), {}, {}, {}};
    const double others = level.active_processes - 1;
    level.solve = {others / 2, std::min(6., others), 500, 7};
    if (unknowns > 9) level.interpolation = {others / 3, std::min(3., others), 100.5, 3};
    hierarchy.levels.push_back(level);
  }
  return AmgFamily({hierarchy});
}

std::unique_ptr<Trace> trace_of(const std::string& app, const Machine& machine, int ranks,
                                bool overlap, int per_node = 1) {
  const PredictionRequest request = request_of_trace(ranks, overlap, per_node);
  if (app == "diffusion" || app == "lbm" || app == "walls") {
    StencilKernel kernel = lattice_boltzmann();
    if (app == "diffusion")
      kernel = {.name = "diffusion",
                .flops = 13,
                .read_values = 1,
                .written_values = 1,
                .halo_values = 1};
    StencilStudy study;
    study.cells = {37, 41, 43};
    study.periodic = app != "walls";
    study.request = request;
    return stencil_trace(machine, kernel, study);
  }
  if (app == "airfoil" || app == "airfoil of five loops") {
    AirfoilStudy study;
    study.mesh = {40, 60};
    if (app != "airfoil") study.sequence = AirfoilSequence::five;
    return airfoil_trace(machine, study, request);
  }
  if (app.starts_with("hpl")) {
    HplStudy study;
    study.size = 1000;
    study.blocks = {64};
    if (app != "hpl") study.bcasts = {app == "hpl along a tree" ? "tree" : "pipeline"};
    study.how.swap = ranks % 2 == 0 ? "mix" : "binary-exchange";
    study.request = request;
    return hpl_trace(machine, study);
  }
  if (app == "amg") {
    AmgStudy study;
    study.unknowns = 1e6;
    study.mix = AmgMix{per_node, 1};
    study.variant.solver = "pcg";
    const AmgFamily family = family_of(ranks);
    return amg_trace(machine, family, study, request);
  }
  const CholeskyRun run{.size = 101,
                        .precision = "f64",
                        .ranks = ranks,
                        .ranks_per_node = per_node,
                        .overlap = overlap,
                        .block = app == "cholesky" ? 1 : 8};
  return cholesky_trace(
      machine, run, cholesky_curve(machine, run.size, run.precision, request, run.block).front());
}

class EveryApp : public testing::TestWithParam<const char*> {};

TEST_P(EveryApp, ReceivesWhatIsSentAtAnyRankCount) {
  const Machine machine = plain_machine();
  for (const int ranks : {1, 2, 3, 7, 12, 15, 30})
    for (const bool overlap : {false, true})
      for (const int per_node : {1, 4}) {
        SCOPED_TRACE(testing::Message()
                     << ranks << " ranks, overlap " << overlap << ", " << per_node << " on a node");
        const auto trace = trace_of(GetParam(), machine, ranks, overlap, per_node);
        ASSERT_EQ(trace->ranks(), ranks);
        Replay replay(*trace);
        replay.run();
        EXPECT_GT(replay.seconds, 0);
        EXPECT_EQ(replay.messages > 0, ranks > 1);
      }
}

INSTANTIATE_TEST_SUITE_P(Trace, EveryApp,
                         testing::Values("diffusion", "lbm", "walls", "airfoil",
                                         "airfoil of five loops", "hpl", "hpl in segments",
                                         "hpl along a tree", "amg", "cholesky",
                                         "cholesky by blocks"));

TEST(Trace, RankComputesWhatTheModelSays) {
  const Machine machine = plain_machine();
  for (const char* app : {"diffusion", "lbm", "airfoil"}) {
    const auto trace = trace_of(app, machine, 8, false);
    double most = 0;
    for (int rank = 0; rank < 8; ++rank) {
      Recorder recorder;
      trace->step(rank, recorder);
      double seconds = 0;
      for (const Operation& one : recorder.all)
        if (one.kind == Operation::compute) seconds += one.amount;
      most = std::max(most, seconds);
    }
    double computed = 0;
    for (const Term& term : trace->point().prediction.terms)
      if (term.name != "network") computed += term.seconds;
    EXPECT_NEAR(most, computed, 1e-9 * computed) << app;
  }
}

TEST(Trace, ColumnsThatAreNotCopiedAsideLeaveInTurn) {
  Machine machine = plain_machine();
  const auto sends_at_once = [&machine](bool overlap) {
    const auto trace = trace_of("cholesky", machine, 8, overlap);
    Replay(*trace).run();
    int most = 0;
    for (int rank = 0; rank < 8; ++rank) {
      Recorder recorder;
      trace->step(rank, recorder);
      int under_way = 0;  // of one column
      for (const Operation& one : recorder.all) {
        if (one.kind == Operation::start_send) most = std::max(most, ++under_way);
        if (one.kind == Operation::wait_sent || one.kind == Operation::wait_received) under_way = 0;
      }
    }
    return most;
  };
  for (const bool overlap : {false, true}) {
    machine.links["network"].eager_limit_bytes = Quantity::exact(1 << 20);
    EXPECT_EQ(sends_at_once(overlap), 3);
    machine.links["network"].eager_limit_bytes = Quantity::exact(0);
    EXPECT_EQ(sends_at_once(overlap), 1);
  }
}

TEST(Trace, PanelsLeaveInTurn) {
  const Machine machine = plain_machine();
  for (const bool overlap : {false, true}) {
    const auto trace = trace_of("hpl along a tree", machine, 16, overlap);
    std::size_t most_children = 0;
    for (int rank = 0; rank < 16; ++rank) {
      Recorder recorder;
      trace->step(rank, recorder);
      std::map<int, int> under_way;  // by tag, of which a panel in either place has its own
      std::map<int, std::set<int>> peers;
      for (const Operation& one : recorder.all) {
        if (one.kind == Operation::start_send) {
          EXPECT_EQ(++under_way[one.tag], 1);
          peers[one.tag].insert(one.peer);
        }
        if (one.kind == Operation::wait_sent) --under_way[one.tag];
        if (one.kind == Operation::wait_all) under_way.clear();
      }
      for (const auto& [tag, all] : peers) most_children = std::max(most_children, all.size());
    }
    EXPECT_GT(most_children, 1);
  }
}

}  // namespace
}  // namespace bellwether
