// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "miniapps/comm/device_checks.hpp"

namespace bellwether {
namespace {

constexpr double fast_copy_s = 1e-7, fast_copy_bytes_per_s = 2e10;  // for the batch only

/// From one host buffer, freshly written as by a pack kernel, to a cold one.
double stage(Bench& bench, std::size_t bytes, int batch) {
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    std::byte* const from = buffers_of(bench).send(bytes, turn);
    std::byte* const to = buffers_of(bench).cold(bytes);
    write_fresh(from, bytes, turn);
    total += bench.timed([&] { bench.device().copy(to, from, bytes, bench.stream()); });
  }
  return total;
}

/// The same to buffers that another rank of the node has received before, each in its turn: lines
/// come back from the other's cache, or, of large ones, from memory, before they can be written.
double stage_again(Bench& bench, int partner, std::size_t bytes, int batch) {
  MessageBuffers& buffers = buffers_of(bench);
  std::byte* const from = buffers.send(bytes, 0);
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    std::byte* const to = buffers.cold_registered(bytes);
    write_fresh(from, bytes, turn);
    meet(partner);
    total += bench.timed([&] { bench.device().copy_shared(to, from, bytes, bench.stream()); });
    PersistentExchange messages(to, buffers.receive(bytes, 0), bytes, partner);
    messages.start();
    messages.finish();
  }
  return total;
}

double cross(Bench& bench, std::byte* host, std::size_t bytes, bool to_device, int batch) {
  std::byte* const on_device = bench.arena();
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    if (to_device) write_fresh(host, bytes, turn);
    std::byte* const to = to_device ? on_device : host;
    const std::byte* const from = to_device ? host : on_device;
    total += bench.timed([&] { bench.device().copy(to, from, bytes, bench.stream()); });
  }
  return total;
}

/// Direct halos on a host are the ordinary ones: only a test measures them by themselves. One rank
/// sends none. Empty, or why they cannot be measured; the same on every rank.
std::string why_not_direct(const Bench& bench) {
  if (bench.device().is_host() || bench.session().size() == 1) return {};
  int taken = mpi_takes_memory_of(bench.device().description()).value_or(false) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT, MPI_MIN, bench.session().world());
  return taken != 0 ? "" : "this MPI does not say that it takes a GPU's memory";
}

bool measures_direct(const Bench& bench, const LinksCases& cases) {
  if (bench.device().is_host()) return bench.limits().direct_links;
  return bench.session().size() > 1 && cases.no_direct.empty();
}

template <class Planned>
void append(std::vector<Planned>& to, std::vector<Planned> more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::string CopySpec::name() const { return fmt::format("{}/{}", link, bytes); }

std::vector<CopySpec> copy_specs(const Bench& bench) {
  std::vector<CopySpec> specs;
  for (const std::size_t bytes : message_sizes(bench.limits())) {
    if (!bench.device().is_host()) {
      for (const char* link : {"host_to_device", "device_to_host"}) specs.push_back({link, bytes});
      continue;
    }
    specs.push_back({"staging", bytes});
    if (!shared_memory_pairs(bench.node_of_rank()).pairs.empty())
      specs.push_back({"staging_shared", bytes});
  }
  return specs;
}

BenchCase make_case(Bench& bench, const CopySpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = static_cast<double>(spec.bytes);
  work.batch = batch_for(fast_copy_s + work.bytes / fast_copy_bytes_per_s, 1e-4);
  if (spec.link == "staging") {
    work.prepare = [&bench] { (void)buffers_of(bench); };
    work.sample = [&bench, bytes = spec.bytes, batch = work.batch] {
      return stage(bench, bytes, batch);
    };
    return work;
  }
  if (spec.link == "staging_shared") {
    const RankPairs pairs = shared_memory_pairs(bench.node_of_rank());
    const int count = static_cast<int>(pairs.pairs.size());
    const auto place = pairs.place_of(bench.session().rank(), count);
    work.active = place.partner >= 0;
    work.everyone = 2 * count == bench.session().size();
    work.prepare = [&bench] { (void)buffers_of(bench); };
    work.sample = [&bench, partner = place.partner, bytes = spec.bytes, batch = work.batch] {
      return stage_again(bench, partner, bytes, batch);
    };
    return work;
  }
  work.prepare = [&bench] {
    (void)bench.arena();
    (void)buffers_of(bench);
  };
  work.sample = [&bench, spec, batch = work.batch] {
    return cross(bench, buffers_of(bench).send(spec.bytes, 0), spec.bytes,
                 spec.link == "host_to_device", batch);
  };
  return work;
}

/// Of messages as large as halos': between nodes, where there are several.
void probe_exchange(const std::vector<Planned<PairSpec>>& pairs, Plan& plan) {
  constexpr std::size_t halo_bytes = 1 << 18;
  const Planned<PairSpec>* chosen = nullptr;
  const auto better = [](const PairSpec& one, const PairSpec& other) {
    const bool far = one.pairs.link == "network", other_far = other.pairs.link == "network";
    return far == other_far ? one.bytes > other.bytes : far;
  };
  for (const Planned<PairSpec>& pair : pairs)
    if (pair.spec.pattern == PairPattern::exchange && pair.spec.bytes <= halo_bytes &&
        (chosen == nullptr || better(pair.spec, chosen->spec)))
      chosen = &pair;
  if (chosen != nullptr)
    plan.probe_drift(chosen->key,
                     chosen->spec.pairs.link == "network" ? "network" : "shared memory");
}

LinksCases plan_links(Plan& plan) {
  Bench& bench = plan.bench();
  const std::size_t largest = message_sizes(bench.limits()).back();
  LinksCases cases{};
  cases.no_direct = why_not_direct(bench);
  const bool direct = measures_direct(bench, cases);
  bench.reserve((direct ? 2 : 1) * MessageBuffers::bytes_for(largest));
  bench.reserve_arena(direct ? arena_bytes_to_write(largest) : largest);
  cases.nodes = node_count(bench.node_of_rank());
  cases.buffers = bench.device().is_host() ? pages_text(huge_pages_unasked())
                                           : "buffers in pinned memory, as halos have them";
  plan.group("links", 0.17, 2);
  cases.pairs = plan.add_all(pair_specs(bench));
  if (!cases.pairs.empty()) probe_exchange(cases.pairs, plan);
  cases.copies = plan.add_all(copy_specs(bench));
  cases.bursts = plan.add_all(burst_specs(bench));
  if (direct) {
    append(cases.pairs, plan.add_all(pair_specs(bench, MessageMemory::device)));
    append(cases.bursts, plan.add_all(burst_specs(bench, MessageMemory::device)));
  }
  for (const HidingSpec& spec : hiding_specs(bench)) {
    auto [exchange, sequence, overlap] = make_cases(bench, spec);
    const SampleKey exchange_key = plan.add(std::move(exchange));
    const SampleKey sequence_key = plan.add(std::move(sequence));
    cases.hiding.emplace_back(spec,
                              HidingKeys{exchange_key, sequence_key, plan.add(std::move(overlap))});
  }
  for (const SweptSpec& spec : swept_specs(bench)) bench.reserve_arena(spec.swept_bytes);
  cases.swept = plan.add_all(swept_specs(bench));
  plan.group("collectives", 0.02, 2);
  cases.collectives = plan.add_all(collective_specs(bench));
  for (const MessageMemory memory : {MessageMemory::host, MessageMemory::device}) {
    if (memory == MessageMemory::device && !direct) continue;
    append(cases.blocks, plan.add_all(block_specs(bench, memory, kept_blocks)));
    for (const BlockSpec& spec : block_specs(bench, memory, other_blocks))
      plan.add_beside(make_case(bench, spec));
  }
  return cases;
}

}  // namespace bellwether
