// SPDX-License-Identifier: MIT
// What must hold of an iteration's time on any machine and any rank's sets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models/airfoil/airfoil_parameters.hpp"
#include "models/airfoil/test_airfoil.hpp"

namespace bellwether {
namespace {

/// Uniform in the logarithm.
double between(double least, double most) {
  const int step = *rc::gen::inRange(0, 1001);
  return least * std::pow(most / least, step / 1000.);
}

Machine any_machine() {
  Machine machine = *rc::gen::element(0, 1) == 0 ? airfoil_machine() : airfoil_gpu();
  for (auto& points : section<AirfoilParameters>(machine)->loops["f64"])
    points = {{1e4, Quantity::exact(between(1e-10, 1e-6))}};
  for (auto& [name, link] : machine.links)
    link = exact_link(between(1e-7, 1e-4), between(1e8, 1e11));
  return machine;
}

AirfoilWorkload any_workload() {
  const double cells = between(100, 1e7);
  const double cut = std::min(cells, between(1, 4) * std::sqrt(cells));
  const double neighbours = *rc::gen::inRange(1, 9);
  return {.cells = cells,
          .core_edges = 2 * cells - cut / 2,
          .eeh_edges = cut / 2,
          .ieh_edges = cut / 2,
          .bedges = *rc::gen::inRange(0, 100) * 1.,
          .inh_cells = cut,
          .neighbours = neighbours};
}

AirfoilConditions any_conditions() {
  return {.precision = "f64",
          .overlap = *rc::gen::arbitrary<bool>(),
          .ranks = *rc::gen::inRange(2, 100000),
          .ranks_per_node = *rc::gen::inRange(1, 48),
          .sequence = *rc::gen::element(AirfoilSequence::five, AirfoilSequence::fused,
                                        AirfoilSequence::gather),
          .staged = *rc::gen::arbitrary<bool>()};
}

using Form = Prediction (*)(const Machine&, const AirfoilWorkload&, const AirfoilConditions&);
Form any_form() { return *rc::gen::arbitrary<bool>() ? paper_of : refined_of; }

constexpr double rounding = 1 + 1e-12;

RC_GTEST_PROP(AirfoilProperties, SlowerPartsMakeNoFasterIteration, ()) {
  const Machine machine = any_machine();
  const AirfoilWorkload work = any_workload();
  const AirfoilConditions conditions = any_conditions();
  const Form form = any_form();
  const double base = form(machine, work, conditions).total_s;
  const double factor = between(1, 100);
  for (std::size_t loop = 0; loop < airfoil_loop_names.size(); ++loop) {
    Machine slower = machine;
    section<AirfoilParameters>(slower)->loops["f64"][loop][0].seconds_per_element.value *= factor;
    RC_ASSERT(form(slower, work, conditions).total_s * rounding >= base);
  }
  for (const auto& [name, link] : machine.links) {
    Machine later = machine, narrower = machine;
    later.links[name].one_way.latency_s.value *= factor;
    narrower.links[name].one_way.bandwidth_bytes_per_s.value /= factor;
    RC_ASSERT(form(later, work, conditions).total_s * rounding >= base);
    RC_ASSERT(form(narrower, work, conditions).total_s * rounding >= base);
  }
}

RC_GTEST_PROP(AirfoilProperties, MoreElementsMakeNoFasterIteration, ()) {
  const Machine machine = any_machine();
  const AirfoilWorkload work = any_workload();
  const AirfoilConditions conditions = any_conditions();
  const Form form = any_form();
  const double base = form(machine, work, conditions).total_s;
  for (double AirfoilWorkload::*set :
       {&AirfoilWorkload::cells, &AirfoilWorkload::core_edges, &AirfoilWorkload::eeh_edges,
        &AirfoilWorkload::ieh_edges, &AirfoilWorkload::bedges, &AirfoilWorkload::ieh_bedges,
        &AirfoilWorkload::ieh_cells, &AirfoilWorkload::inh_cells, &AirfoilWorkload::neighbours}) {
    AirfoilWorkload more = work;
    more.*set = work.*set * 2 + 1;
    RC_ASSERT(form(machine, more, conditions).total_s * rounding >= base);
  }
}

RC_GTEST_PROP(AirfoilProperties, OverlappingIsNeverSlowerThanBlocking, ()) {
  const Machine machine = any_machine();
  const AirfoilWorkload work = any_workload();
  AirfoilConditions conditions = any_conditions();
  const Form form = any_form();
  conditions.overlap = false;
  const Prediction blocking = form(machine, work, conditions);
  conditions.overlap = true;
  const Prediction overlapping = form(machine, work, conditions);
  // Cells that wait for the halo are a launch of their own.
  const bool gathers = form == refined_of && conditions.sequence == AirfoilSequence::gather;
  const double launches =
      gathers && machine.device.kind == "gpu" ? 2 * machine.device.launch_latency_s->value : 0;
  RC_ASSERT(overlapping.total_s <= (blocking.total_s + launches) * rounding);
  RC_ASSERT(overlapping.hidden_fraction >= 0 && overlapping.hidden_fraction <= 1);
  // No more can be hidden than there is to hide and to hide behind.
  const double hidden = blocking.total_s + launches - overlapping.total_s;
  RC_ASSERT(hidden <= overlapping.communication_s * 1.000001);
  RC_ASSERT(hidden <= overlapping.hiding_s * 1.000001);
}

RC_GTEST_PROP(AirfoilProperties, TermsAddUpToTheTotal, ()) {
  const Prediction p = any_form()(any_machine(), any_workload(), any_conditions());
  double sum = 0;
  for (const Term& term : p.terms) {
    RC_ASSERT(std::isfinite(term.seconds) && term.seconds >= 0);
    sum += term.seconds;
  }
  RC_ASSERT(std::abs(sum - p.total_s) <= 1e-12 * p.total_s);
}

RC_GTEST_PROP(AirfoilProperties, OneRankCommunicatesNothing, ()) {
  AirfoilWorkload alone;
  alone.cells = between(1, 1e7);
  alone.core_edges = 2 * alone.cells;
  AirfoilConditions conditions = any_conditions();
  conditions.ranks = 1;
  const Prediction p = any_form()(any_machine(), alone, conditions);
  for (const Term& term : p.terms) RC_ASSERT(term.name.starts_with("compute."));
  RC_ASSERT(p.communication_s == 0);
}

RC_GTEST_PROP(AirfoilProperties, WithoutLatencyAndAtInfiniteBandwidthOnlyLoopsAreLeft, ()) {
  Machine machine = any_machine();
  for (auto& [name, link] : machine.links) link = exact_link(0, 1e300);
  machine.device.launch_latency_s.reset();
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e300);
  const AirfoilWorkload work = any_workload();
  const auto& loops = section<AirfoilParameters>(machine)->loops["f64"];
  const auto cost = [&loops](int loop) { return loops[loop][0].seconds_per_element.value; };
  const Form form = any_form();
  const AirfoilConditions conditions = any_conditions();
  const double over_edges =
      2 * (cost(2) * (work.core_edges + work.eeh_edges + work.ieh_edges) + cost(3) * work.bedges);
  const AirfoilSequence sequence = form == refined_of ? conditions.sequence : AirfoilSequence::five;
  const double of_sequence[] = {
      over_edges + (cost(0) + 2 * (cost(1) + cost(4))) * work.cells,
      over_edges + 2 * cost(5) * work.cells,
      2 * cost(6) * work.cells,
  };
  const double expected = of_sequence[static_cast<int>(sequence)];
  const Prediction p = form(machine, work, conditions);
  RC_ASSERT(std::abs(p.total_s - expected) <= 1e-9 * expected);
}

RC_GTEST_PROP(AirfoilProperties, FusedLoopsTakeNoLongerThanTheirParts, ()) {
  Machine machine = any_machine();
  curve(machine, AirfoilLoop::update_adt).clear();
  const AirfoilWorkload work = any_workload();
  AirfoilConditions conditions = any_conditions();
  conditions.sequence = AirfoilSequence::five;
  const double five = refined_of(machine, work, conditions).total_s;
  conditions.sequence = AirfoilSequence::fused;
  RC_ASSERT(refined_of(machine, work, conditions).total_s <= five * rounding);
}

RC_GTEST_PROP(AirfoilProperties, AUnitOfTimeScalesEveryTerm, ()) {
  // All rates and latencies in a unit of time c times as long: every time is c times as large.
  const Machine machine = any_machine();
  const AirfoilWorkload work = any_workload();
  const AirfoilConditions conditions = any_conditions();
  const double c = between(1e-3, 1e3);
  Machine other = machine;
  for (auto& points : section<AirfoilParameters>(other)->loops["f64"])
    points[0].seconds_per_element = Quantity::exact(points[0].seconds_per_element.value * c);
  for (auto& [name, link] : other.links)
    link =
        exact_link(link.one_way.latency_s.value * c, link.one_way.bandwidth_bytes_per_s.value / c);
  if (other.device.launch_latency_s)
    other.device.launch_latency_s = Quantity::exact(other.device.launch_latency_s->value * c);
  other.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e10 / c);
  const Form form = any_form();
  const Prediction here = form(machine, work, conditions), there = form(other, work, conditions);
  RC_ASSERT(here.terms.size() == there.terms.size());
  for (std::size_t term = 0; term < here.terms.size(); ++term)
    RC_ASSERT(std::abs(there.terms[term].seconds - c * here.terms[term].seconds) <=
              1e-9 * c * here.total_s);
}

}  // namespace
}  // namespace bellwether
