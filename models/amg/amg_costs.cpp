// SPDX-License-Identifier: MIT
#include "models/amg/amg_costs.hpp"
#include "models/amg/amg_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/errors.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

void note(std::vector<std::string>* notes, std::string text) {
  if (notes != nullptr) notes->push_back(std::move(text));
}

/// Bandwidth per thread and loop overhead with so many threads, linear between the known numbers.
struct ThreadCosts {
  double bandwidth;
  double fork_join_s;
};
std::optional<ThreadCosts> thread_costs(const std::vector<AmgThreads>& known, int threads,
                                        Bound bound) {
  const auto above =
      std::lower_bound(known.begin(), known.end(), threads,
                       [](const AmgThreads& one, int number) { return one.threads < number; });
  if (above == known.end()) return {};
  const auto read = [bound](const AmgThreads& one) {
    return ThreadCosts{rate_at(one.bandwidth_bytes_per_s, bound), cost_at(one.fork_join_s, bound)};
  };
  const ThreadCosts high = read(*above);
  if (above->threads == threads) return high;
  const ThreadCosts low = read(above[-1]);
  const double share = 1.0 * (threads - above[-1].threads) / (above->threads - above[-1].threads);
  return ThreadCosts{low.bandwidth + share * (high.bandwidth - low.bandwidth),
                     low.fork_join_s + share * (high.fork_join_s - low.fork_join_s)};
}

ThreadCosts published_thread_costs(const Machine& machine, int threads, Bound bound) {
  const std::vector<AmgThreads>& known = amg_published(machine)->threads;
  if (const auto found = thread_costs(known, threads, bound)) return *found;
  throw BadInput(fmt::format("machine {}: key /amg/threads: found up to {} threads, expected {}",
                             machine.name, known.back().threads, threads));
}

/// P_SMT of some number of threads.
struct CorePenalty {
  double of_ranks = 1;    ///< min(n_MPI, n_SMT), as the paper has it
  double of_threads = 1;  ///< n_SMT, the threads that the fullest core runs
};
CorePenalty core_penalty(const Machine& machine, const AmgPlacement& placement, Bound bound) {
  const int cores = machine.layout.cores_per_node;
  if (cores == 0) return {};
  const long long threads = 1LL * placement.ranks_per_node * placement.threads_per_rank;
  const auto per_core = static_cast<std::size_t>((threads + cores - 1) / cores);
  const std::vector<AmgCoreSharing>& known = amg_published(machine)->core_sharing;
  if (per_core > known.size())
    throw BadInput(
        fmt::format("machine {}: key /amg/core_sharing: found up to {} threads per core, expected "
                    "{} for {} ranks x {} threads per node on {} cores",
                    machine.name, known.size(), per_core, placement.ranks_per_node,
                    placement.threads_per_rank, cores));
  const std::size_t sharing =
      std::min(per_core, static_cast<std::size_t>(placement.ranks_per_node));
  return {cost_at(known[sharing - 1].penalty, bound), cost_at(known[per_core - 1].penalty, bound)};
}

/// Of CSR, two flops an entry: a value of 8 bytes and a column of 4; per row its start (4), one
/// element of the vector read and one written.
double csr_bytes_per_flop(double nonzeros_per_row) { return (12 + 20 / nonzeros_per_row) / 2; }

}  // namespace

void note_amg_threads(const AmgKernelParameters& kernels, int threads,
                      std::vector<std::string>* notes) {
  if (kernels.threads != threads)
    note(notes, fmt::format("amg.kernels: calibrated with {} thread{} of a rank, asked for {}",
                            kernels.threads, kernels.threads == 1 ? "" : "s", threads));
}

AmgCosts::AmgCosts(const Machine& machine, const AmgPlacement& placement, bool refined, Bound bound,
                   std::vector<std::string>* notes)
    : threads_(placement.threads_per_rank), refined_(refined), bound_(bound) {
  if (const auto* measured = amg_published(machine)) {
    for (const Quantity& time : measured->flop_time_s)
      level_flop_time_s_.push_back(cost_at(time, bound));
    const ThreadCosts threads = published_thread_costs(machine, placement.threads_per_rank, bound);
    // b_1 at its value: both bounds of the ratio are those of b_j.
    const Quantity& alone = measured->threads.front().bandwidth_bytes_per_s;
    const auto& known = measured->threads;
    if (std::none_of(known.begin(), known.end(), [&placement](const AmgThreads& one) {
          return one.threads == placement.threads_per_rank;
        }))
      note(notes, fmt::format("{} threads per rank: bandwidth and loop overhead interpolated",
                              placement.threads_per_rank));
    thread_penalty_ = placement.threads_per_rank == 1 ? 1 : alone.value / threads.bandwidth;
    const CorePenalty core = core_penalty(machine, placement, bound);
    core_penalty_ = core.of_ranks;
    issue_penalty_ = core.of_threads;
    // What a thread got of the memory when t_i was measured.
    const int cores = std::clamp(machine.layout.cores_per_node, 1, known.back().threads);
    bandwidth_then_ = published_thread_costs(machine, cores, Bound::value).bandwidth;
    fork_join_s_ = placement.threads_per_rank == 1 ? 0 : threads.fork_join_s;
  } else if (const auto* kernels = amg_kernels(machine)) {
    product_.emplace(kernels->spmv, bound);
    note_amg_threads(*kernels, placement.threads_per_rank, notes);
  } else {
    if (placement.threads_per_rank != 1)
      throw BadInput(fmt::format(
          "machine {}: key /amg: found none, expected it for {} threads per rank (without it one)",
          machine.name, placement.threads_per_rank));
    seconds_per_byte_ = 1 / memory_rate(machine, placement.on_node(), bound);
    note(notes,
         "not calibrated for amg: time per flop derived from the memory bandwidth, 12 bytes per "
         "matrix entry and 20 per row");
  }
  if (machine.device.kind == "gpu")
    note(notes, "copies between host and device are not counted: messages as from the host");
  if (placement.processes == 1) return;

  const bool on_node = placement.nodes == 1;
  const Paths paths(machine, {placement.ranks_per_node});
  const Path path = paths.to(on_node ? Across::same_node : Across::other_node);
  link_ = &path.link->one_way;
  hideable_ = [paths, path, bound](double bytes) {
    return paths.hideable_share(path, bytes, bound);
  };
  if (path.name != "network") return;
  if (on_node) note(notes, "messages within the node timed over the network link");
  if (const auto* own = section<AmgParameters>(machine); own && own->wait_per_diameter_s) {
    hop_latency_s_ = std::cbrt(placement.nodes) * cost_at(*own->wait_per_diameter_s, bound);
    note(notes, "network not measured: messages wait longer on more nodes, as published of others");
  }
  if (!machine.topology || !machine.topology->links_per_node ||
      !machine.topology->node_bandwidth_bytes_per_s)
    note(notes,
         "limited bandwidth and contention not modelled: the machine's topology lacks "
         "links_per_node or node_bandwidth_bytes_per_s");
  if (!machine.topology) return;
  const Topology& topology = *machine.topology;
  constexpr int fewest_hops = 1;  // h_m of a torus
  if (topology.hop_latency_s)
    hop_latency_s_ += (partition_diameter(topology, placement.nodes) - fewest_hops) *
                      cost_at(*topology.hop_latency_s, bound);
  if (topology.links_per_node && topology.node_bandwidth_bytes_per_s) {
    links_ = rate_at(*topology.links_per_node, bound) * placement.nodes;
    limited_ =
        topology.node_bandwidth_bytes_per_s->value / rate_at(link_->bandwidth_bytes_per_s, bound);
  }
}

double AmgCosts::flop_time(std::size_t level, double nonzeros_per_row, double rows,
                           bool serial) const {
  if (product_) {
    const double of_rank = rows * threads_;
    return product_->seconds(of_rank, of_rank * nonzeros_per_row) / (2 * rows * nonzeros_per_row);
  }
  if (level_flop_time_s_.empty()) {
    return csr_bytes_per_flop(nonzeros_per_row) * seconds_per_byte_;
  }
  const double alone = level_flop_time_s_[std::min(level, level_flop_time_s_.size() - 1)];
  if (serial) return alone * core_penalty_;
  if (!refined_) return alone * core_penalty_ * thread_penalty_;
  const double memory = std::min(alone, csr_bytes_per_flop(nonzeros_per_row) / bandwidth_then_);
  return (alone - memory) * issue_penalty_ + memory * core_penalty_ * thread_penalty_;
}

double AmgCosts::wire(double sends, double elements, double contention) const {
  if (link_ == nullptr || sends <= 0) return 0;
  const double bytes = 8 * elements;
  const double message = refined_ ? link_time(*link_, bytes / sends, bound_)
                                  : link_time_paper(*link_, bytes / sends, bound_);
  const double byte_time = 1 / rate_at(link_->bandwidth_bytes_per_s, bound_);
  return sends * (message + hop_latency_s_) + bytes * byte_time * (contention - 1);
}

double AmgCosts::messages(const AmgOperator& one, double active) const {
  const double in_flight = one.average_sends * active;
  const double contention = links_ > 0 ? limited_ + in_flight / links_ : limited_;
  return wire(one.max_sends, one.max_elements, contention);
}

double AmgCosts::lone_message(double elements) const { return wire(1, elements, limited_); }

}  // namespace bellwether
