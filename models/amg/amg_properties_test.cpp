// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/amg/amg_curve.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/amg/test_amg.hpp"

namespace bellwether {
namespace {

double drawn(int low, int high, double scale, const char* name) {
  return *rc::gen::inRange(low, high).as(name) * scale;
}

AmgOperator drawn_operator(double most_sends) {
  const double sends = std::min(most_sends, drawn(1, 200, 1, "sends"));
  return {sends / 2, sends, drawn(1, 10000, 1, "elements"), drawn(1, 100, 1, "entries")};
}

AmgHierarchy drawn_hierarchy() {
  AmgHierarchy hierarchy{1000, {}};
  double unknowns = drawn(1000, 1000000, 100, "unknowns");
  const int levels = *rc::gen::inRange(2, 8).as("levels");
  for (int level = 0; level < levels; ++level) {
    const double active = std::min(1000.0, std::max(2.0, unknowns));
    AmgLevel next{unknowns, active, drawn_operator(active - 1), {}};
    if (level + 1 < levels) next.interpolation = drawn_operator(active - 1);
    hierarchy.levels.push_back(next);
    unknowns = level + 2 < levels ? unknowns / 2 : drawn(2, 50, 1, "coarsest unknowns");
  }
  return hierarchy;
}

const char* drawn_form() { return *rc::gen::element<const char*>("paper", "refined").as("form"); }

AmgPlacement drawn_placement() {
  return {.nodes = 500,
          .processes = 1000,
          .ranks_per_node = 2,
          .threads_per_rank = *rc::gen::inRange(1, 3).as("threads")};
}

double seconds(const Machine& machine, const AmgHierarchy& hierarchy, const AmgPlacement& placement,
               const char* form, bool overlap = false) {
  return predict_amg_run(machine, hierarchy, placement, {}, form, overlap).total_s;
}

/// Whether a change that makes the machine slower makes the cycle slower, or at least no faster.
template <class Change>
void slower(Change change, bool strictly) {
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgPlacement placement = drawn_placement();
  const char* form = drawn_form();
  const bool overlap = *rc::gen::arbitrary<bool>().as("overlap");
  Machine machine = small_machine();
  const double before = seconds(machine, hierarchy, placement, form, overlap);
  change(machine);
  const double after = seconds(machine, hierarchy, placement, form, overlap);
  if (strictly && !overlap) {
    RC_ASSERT(after > before);
  } else {
    RC_ASSERT(after >= before * (1 - 1e-12));
  }
}

RC_GTEST_PROP(AmgProperties, LatencyCosts, ()) {
  slower([](Machine& machine) { machine.links["network"].one_way.latency_s.value *= 1.5; }, true);
}
RC_GTEST_PROP(AmgProperties, LowBandwidthCosts, ()) {
  slower(
      [](Machine& machine) { machine.links["network"].one_way.bandwidth_bytes_per_s.value /= 2; },
      true);
}
RC_GTEST_PROP(AmgProperties, HopsCost, ()) {
  slower([](Machine& machine) { machine.topology->hop_latency_s->value *= 2; }, true);
}
RC_GTEST_PROP(AmgProperties, FlopsCost, ()) {
  slower(
      [](Machine& machine) {
        for (Quantity& time : section<AmgParameters>(machine)->flop_time_s) time.value *= 1.5;
      },
      true);
}
RC_GTEST_PROP(AmgProperties, LoopsAndSharedCoresCost, ()) {
  slower(
      [](Machine& machine) {
        section<AmgParameters>(machine)->threads[1].fork_join_s.value *= 2;
        section<AmgParameters>(machine)->core_sharing[1].penalty.value *= 1.5;
      },
      false);
}
RC_GTEST_PROP(AmgProperties, FewLinksCost, ()) {
  slower([](Machine& machine) { machine.topology->links_per_node->value = 1; }, true);
}

RC_GTEST_PROP(AmgProperties, MoreProcessesAreNoSlowerOnAFixedHierarchy, ()) {
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const char* form = drawn_form();
  // More processes on as many nodes: neither hops nor links change.
  const AmgPlacement few{
      .nodes = 500, .processes = 500, .ranks_per_node = 1, .threads_per_rank = 1};
  AmgPlacement more = few;
  more.processes = *rc::gen::inRange(501, 1000).as("processes");
  RC_ASSERT(seconds(small_machine(), hierarchy, more, form) <=
            seconds(small_machine(), hierarchy, few, form));
}

RC_GTEST_PROP(AmgProperties, AFreeNetworkLeavesComputation, ()) {
  Machine machine = small_machine();
  auto& link = machine.links["network"].one_way;
  link.latency_s = Quantity::exact(0);
  link.bandwidth_bytes_per_s = Quantity::exact(1e300);
  machine.topology->hop_latency_s = Quantity::exact(0);
  const Prediction prediction =
      predict_amg_run(machine, drawn_hierarchy(), drawn_placement(), {}, drawn_form(), false);
  double computation = 0;
  for (const Term& term : prediction.terms) {
    if (term.name.starts_with("network")) {
      RC_ASSERT(term.seconds < 1e-200);
    } else {
      computation += term.seconds;
    }
  }
  RC_ASSERT(std::abs(prediction.total_s - computation) <= 1e-12 * computation);
}

/// m/l tends to 0: many links are as good as no other messages.
RC_GTEST_PROP(AmgProperties, ContentionVanishesWithManyLinks, ()) {
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgPlacement placement = drawn_placement();
  const char* form = drawn_form();
  Machine machine = small_machine();
  machine.topology->links_per_node = Quantity::exact(1e15);
  AmgHierarchy quiet = hierarchy;
  for (AmgLevel& level : quiet.levels)
    level.solve.average_sends = level.interpolation.average_sends = 0;
  const double crowded = seconds(machine, hierarchy, placement, form);
  const double alone = seconds(small_machine(), quiet, placement, form);
  RC_ASSERT(std::abs(crowded - alone) <= 1e-9 * alone);
}

/// Twice as slow in every respect is twice the time, whatever the units of the parts.
RC_GTEST_PROP(AmgProperties, TimesScaleWithTheMachinesClock, ()) {
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgPlacement placement = drawn_placement();
  const char* form = drawn_form();
  const bool overlap = *rc::gen::arbitrary<bool>().as("overlap");
  const double clock = drawn(2, 50, 1, "clock");
  const double before = seconds(small_machine(), hierarchy, placement, form, overlap);
  Machine machine = small_machine();
  machine.links["network"].one_way.latency_s.value *= clock;
  machine.links["network"].one_way.bandwidth_bytes_per_s.value /= clock;
  machine.topology->hop_latency_s->value *= clock;
  machine.topology->node_bandwidth_bytes_per_s->value /= clock;
  for (Quantity& time : section<AmgParameters>(machine)->flop_time_s) time.value *= clock;
  for (AmgThreads& threads : section<AmgParameters>(machine)->threads) {
    threads.bandwidth_bytes_per_s.value /= clock;
    threads.fork_join_s.value *= clock;
  }
  const double after = seconds(machine, hierarchy, placement, form, overlap);
  RC_ASSERT(std::abs(after - clock * before) <= 1e-9 * after);
}

RC_GTEST_PROP(AmgProperties, OverlapNeverLosesNorHidesMoreThanItCan, ()) {
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgPlacement placement = drawn_placement();
  const Prediction off =
      predict_amg_run(small_machine(), hierarchy, placement, {}, "refined", false);
  const Prediction on = predict_amg_run(small_machine(), hierarchy, placement, {}, "refined", true);
  RC_ASSERT(on.total_s <= off.total_s * (1 + 1e-12));
  const double hidden = off.total_s - on.total_s;
  RC_ASSERT(hidden <= std::min(on.communication_s, on.hiding_s) + 1e-12 * off.total_s);
  RC_ASSERT(on.hidden_fraction >= 0 && on.hidden_fraction <= 1);
}

RC_GTEST_PROP(AmgProperties, IntervalsHoldTheValue, ()) {
  Machine machine = small_machine();
  const auto widen = [](Quantity& quantity) {
    quantity.low = 0.8 * quantity.value;
    quantity.high = 1.2 * quantity.value;
  };
  widen(machine.links["network"].one_way.latency_s);
  widen(machine.links["network"].one_way.bandwidth_bytes_per_s);
  for (Quantity& time : section<AmgParameters>(machine)->flop_time_s) widen(time);
  const Prediction prediction = predict_amg_run(machine, drawn_hierarchy(), drawn_placement(), {},
                                                drawn_form(), *rc::gen::arbitrary<bool>());
  RC_ASSERT(prediction.low_s < prediction.total_s && prediction.total_s < prediction.high_s);
  for (const Term& term : prediction.terms)
    RC_ASSERT(term.low <= term.seconds && term.seconds <= term.high);
}

}  // namespace
}  // namespace bellwether
