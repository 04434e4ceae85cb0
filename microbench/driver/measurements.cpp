// SPDX-License-Identifier: MIT
#include "microbench/driver/measurements.hpp"

#include <algorithm>
#include <utility>

namespace bellwether {
namespace {

constexpr double drift_share = 0.02;
constexpr int drift_rounds = 7;

template <class Specs>
void append_cases(Bench& bench, const Specs& specs, std::vector<Benchmark>& cases) {
  for (const auto& spec : specs) cases.push_back(make_case(bench, spec));
}

}  // namespace

MeasurementPlan::MeasurementPlan(const Bench& bench)
    : neighbours(neighbours_specs(bench)),
      stream(stream_specs(bench)),
      compute(compute_specs(bench)),
      launches{1, std::size_t{1} << 16},
      links(link_specs(bench)),
      hops(hop_specs(bench)),
      rings(ring_specs(bench)),
      hiding(hiding_specs(bench)),
      copies(copy_specs(bench)),
      collectives(collective_specs(bench)),
      airfoil(airfoil_specs(bench)) {}

std::vector<Group> groups_of(Bench& bench, const MeasurementPlan& plan,
                             const CalibrationLimits& limits) {
  const int fewest = limits.fewest_rounds, most = limits.most_rounds;
  std::vector<Group> groups{{"memory curves", {}, 0.37, fewest, most},
                            {"STREAM", {}, 0.16, fewest, most},
                            {"arithmetic", {}, 0.05, fewest, most},
                            {"links", {}, 0.2, fewest, 2 * most},
                            {"Airfoil's loops", {}, 0.18, fewest, most}};
  append_cases(bench, plan.neighbours, groups[0].cases);
  append_cases(bench, plan.stream, groups[1].cases);
  append_cases(bench, plan.compute, groups[2].cases);
  for (const std::size_t items : plan.launches)
    groups[2].cases.push_back(make_launch_case(bench, items));
  append_cases(bench, plan.links, groups[3].cases);
  append_cases(bench, plan.copies, groups[3].cases);
  append_cases(bench, plan.hops, groups[3].cases);
  append_cases(bench, plan.rings, groups[3].cases);
  for (const HidingSpec& spec : plan.hiding)
    for (Benchmark& part : make_cases(bench, spec)) groups[3].cases.push_back(std::move(part));
  append_cases(bench, plan.collectives, groups[3].cases);
  append_cases(bench, plan.airfoil, groups[4].cases);
  return groups;
}

Group drift_group(Bench& bench, const MeasurementPlan& plan) {
  Group group{"drift", {}, drift_share, drift_rounds, drift_rounds};
  const auto copy = std::find_if(plan.stream.rbegin(), plan.stream.rend(), [](const auto& spec) {
    return spec.kernel == StreamKernel::copy;
  });
  const auto gemm = std::find_if(plan.compute.rbegin(), plan.compute.rend(), [](const auto& spec) {
    return spec.kernel == ComputeKernel::gemm && spec.all;
  });
  group.cases.push_back(make_case(bench, *copy));
  if (gemm != plan.compute.rend()) group.cases.push_back(make_case(bench, *gemm));
  if (!plan.links.empty()) group.cases.push_back(make_case(bench, plan.links.front()));
  return group;
}

}  // namespace bellwether
