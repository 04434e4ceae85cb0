// SPDX-License-Identifier: MIT
#include "microbench/links/links_cases.hpp"

#include <algorithm>
#include <utility>

#include "microbench/links/message_buffers.hpp"

namespace bellwether {
namespace {

std::vector<Planned<PairSpec>> plan_hops(Plan& plan, const std::vector<Planned<PairSpec>>& pairs) {
  const auto to_second = std::find_if(pairs.begin(), pairs.end(), [](const auto& planned) {
    return planned.spec.pairs.link == "network" && planned.spec.pattern == PairPattern::ping_pong;
  });
  if (to_second == pairs.end()) return {};
  std::vector<Planned<PairSpec>> hops = plan.add_all(hop_specs(plan.bench()));
  hops.insert(hops.begin(), *to_second);
  return hops;
}

}  // namespace

LinksCases plan_links(Plan& plan) {
  Bench& bench = plan.bench();
  const std::size_t largest = message_sizes(bench.limits()).back();
  bench.reserve(MessageBuffers::bytes_for(largest));
  bench.reserve_arena(largest);
  LinksCases cases{};
  cases.nodes = node_count(bench.node_of_rank());
  cases.buffers = bench.device().is_host() ? pages_text(huge_pages_unasked())
                                           : "buffers in pinned memory, as halos have them";
  plan.group("links", 0.2, 2);
  cases.pairs = plan.add_all(pair_specs(bench));
  if (!cases.pairs.empty()) plan.repeat_at_end(cases.pairs.front().key);
  cases.copies = plan.add_all(copy_specs(bench));
  cases.hops = plan_hops(plan, cases.pairs);
  cases.rings = plan.add_all(ring_specs(bench));
  for (const HidingSpec& spec : hiding_specs(bench)) {
    auto [exchange, compute, both] = make_cases(bench, spec);
    const SampleKey exchange_key = plan.add(std::move(exchange));
    const SampleKey compute_key = plan.add(std::move(compute));
    cases.hiding.emplace_back(spec,
                              HidingKeys{exchange_key, compute_key, plan.add(std::move(both))});
  }
  cases.collectives = plan.add_all(collective_specs(bench));
  return cases;
}

}  // namespace bellwether
