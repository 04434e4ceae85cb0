// SPDX-License-Identifier: MIT
#include "microbench/links/ring_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "microbench/links/message_buffers.hpp"
#include "microbench/links/pair_cases.hpp"

namespace bellwether {
namespace {

constexpr int batch = 3;

/// This rank's neighbours in the ring.
struct Neighbours {
  int before;
  int after;
};

/// The four persistent messages of a rank. Those that go round the same way bear the same tag, so
/// that a ring of two tells them apart.
class RingExchange {
 public:
  RingExchange(MessageBuffers& buffers, Neighbours to, std::size_t bytes) {
    constexpr int forward = 4, backward = 5;
    const int count = static_cast<int>(bytes);
    MPI_Recv_init(buffers.cold_registered(bytes), count, MPI_BYTE, to.before, forward,
                  MPI_COMM_WORLD, &requests_[0]);
    MPI_Recv_init(buffers.cold_registered(bytes), count, MPI_BYTE, to.after, backward,
                  MPI_COMM_WORLD, &requests_[1]);
    MPI_Send_init(buffers.send(bytes, 0), count, MPI_BYTE, to.before, backward, MPI_COMM_WORLD,
                  &requests_[2]);
    MPI_Send_init(buffers.send(bytes, 1), count, MPI_BYTE, to.after, forward, MPI_COMM_WORLD,
                  &requests_[3]);
  }
  ~RingExchange() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  RingExchange(const RingExchange&) = delete;
  RingExchange& operator=(const RingExchange&) = delete;

  void run() {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::array<MPI_Request, 4> requests_{};
};

double exchange(MessageBuffers& buffers, Neighbours to, int ring, std::size_t bytes, int times) {
  double total = 0;
  for (int turn = 0; turn < times; ++turn) {
    RingExchange messages(buffers, to, bytes);
    write_fresh(buffers.send(bytes, 0), bytes, turn);
    write_fresh(buffers.send(bytes, 1), bytes, turn);
    // Who has met its neighbours once for every two ranks of the ring has heard of all of them.
    for (int met = 0; met < ring; met += 2) {
      meet(to.before, to.after);
      meet(to.after, to.before);
    }
    const double begin = clock_s();
    messages.run();
    total += clock_s() - begin;
  }
  return total;
}

}  // namespace

std::string RingSpec::name() const {
  return fmt::format("{}/ring/{}/ranks:{}", link, bytes, ranks.size());
}

std::vector<RingSpec> ring_specs(const Bench& bench) {
  const auto& nodes = bench.node_of_rank();
  std::vector<int> first_of_nodes;
  for (int node = 0; node < node_count(nodes); ++node)
    first_of_nodes.push_back(
        static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
  std::vector<int> on_a_node;
  if (const auto pairs = shared_memory_pairs(nodes).pairs; !pairs.empty())
    on_a_node = {pairs.front().first, pairs.front().second};
  std::vector<RingSpec> specs;
  for (const std::size_t bytes : message_sizes(bench.limits())) {
    if (on_a_node.size() > 1) specs.push_back({"shared_memory", on_a_node, bytes});
    if (first_of_nodes.size() > 1) specs.push_back({"network", first_of_nodes, bytes});
  }
  return specs;
}

BenchCase make_case(Bench& bench, const RingSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = 2 * static_cast<double>(spec.bytes);
  work.batch = batch;
  const auto me = std::find(spec.ranks.begin(), spec.ranks.end(), bench.session().rank());
  work.active = me != spec.ranks.end();
  const int ring = static_cast<int>(spec.ranks.size());
  work.everyone = ring == bench.session().size();
  Neighbours to{};
  if (work.active) {
    const auto at = static_cast<int>(me - spec.ranks.begin());
    to = {spec.ranks[static_cast<std::size_t>((at + ring - 1) % ring)],
          spec.ranks[static_cast<std::size_t>((at + 1) % ring)]};
  }
  const auto messages = [&bench, to, ring, bytes = spec.bytes](int times) {
    return exchange(buffers_of(bench), to, ring, bytes, times);
  };
  work.prepare = [messages] { (void)messages(1); };
  work.sample = [messages] { return messages(batch); };
  return work;
}

}  // namespace bellwether
