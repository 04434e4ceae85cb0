// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"

namespace bellwether {
namespace {

constexpr int ping_pong_tag = 1;
constexpr int ring_batch = 3;
constexpr int most_in_burst = 4;  // messages to a neighbour
constexpr std::size_t largest_in_burst = MessageBuffers::small_message / most_in_burst;
constexpr std::size_t off_the_page = 4;  // bytes: a value of the smallest type
constexpr double fast_message_s = 5e-7, fast_link_bytes_per_s = 1e10;  // for the batch only

/// Half the round trips that follow one another, seen by the first of the pair: latency as OSU's
/// benchmark defines it, from the same memory each time. The second waits in its receive when the
/// clock starts.
double ping_pong(const MessageBuffers& buffers, RankPairs::Place place, std::size_t bytes,
                 std::size_t offset, int batch) {
  const int count = static_cast<int>(bytes);
  std::byte* const send = buffers.send(bytes, 0, offset);
  std::byte* const receive = buffers.receive(bytes, 0, offset);
  buffers.write(send, bytes, 0);
  meet(place.partner);
  const double begin = clock_s();
  for (int turn = 0; turn < batch; ++turn) {
    if (place.first) MPI_Send(send, count, MPI_BYTE, place.partner, ping_pong_tag, MPI_COMM_WORLD);
    MPI_Recv(receive, count, MPI_BYTE, place.partner, ping_pong_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (!place.first) MPI_Send(send, count, MPI_BYTE, place.partner, ping_pong_tag, MPI_COMM_WORLD);
  }
  return place.first ? (clock_s() - begin) / 2 : 0;
}

/// Both ways at once, as a halo is exchanged: written just before, received into cold memory.
double exchange(MessageBuffers& buffers, int partner, std::size_t bytes, int batch) {
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    PersistentExchange messages(buffers.send(bytes, turn), buffers.cold_registered(bytes), bytes,
                                partner);
    buffers.write(buffers.send(bytes, turn), bytes, turn);
    meet(partner);
    const double begin = clock_s();
    messages.start();
    messages.finish();
    total += clock_s() - begin;
  }
  return total;
}

const char* text(PairPattern pattern) {
  constexpr const char* names[] = {"ping_pong", "ping_pong_unaligned", "exchange"};
  return names[static_cast<int>(pattern)];
}

/// This rank's neighbours in the ring.
struct Neighbours {
  int before;
  int after;
};

/// Where the message of a burst that goes to a neighbour, 0 or 1, stands.
std::byte* sent_from(const MessageBuffers& buffers, std::size_t bytes, int neighbour, int message) {
  return buffers.send(bytes, neighbour, static_cast<std::size_t>(message) * whole_pages(bytes));
}

/// The persistent messages of a rank, receives first, as halos have them. Those that go round the
/// same way bear the same tags, so that a ring of two tells them apart.
class RingExchange {
 public:
  RingExchange(MessageBuffers& buffers, Neighbours to, std::size_t bytes, int messages)
      : requests_(4 * static_cast<std::size_t>(messages), MPI_REQUEST_NULL) {
    const int count = static_cast<int>(bytes);
    auto request = requests_.begin();
    const auto forward = [](int message) { return 4 + 2 * message; };
    const auto backward = [](int message) { return 5 + 2 * message; };
    for (int message = 0; message < messages; ++message) {
      MPI_Recv_init(buffers.cold_registered(bytes), count, MPI_BYTE, to.before, forward(message),
                    MPI_COMM_WORLD, &*request++);
      MPI_Recv_init(buffers.cold_registered(bytes), count, MPI_BYTE, to.after, backward(message),
                    MPI_COMM_WORLD, &*request++);
    }
    for (int message = 0; message < messages; ++message) {
      MPI_Send_init(sent_from(buffers, bytes, 0, message), count, MPI_BYTE, to.before,
                    backward(message), MPI_COMM_WORLD, &*request++);
      MPI_Send_init(sent_from(buffers, bytes, 1, message), count, MPI_BYTE, to.after,
                    forward(message), MPI_COMM_WORLD, &*request++);
    }
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
  std::vector<MPI_Request> requests_;
};

double exchange(MessageBuffers& buffers, Neighbours to, const RingSpec& spec, int times) {
  double total = 0;
  const int ring = static_cast<int>(spec.ranks.size()) / spec.rings;
  for (int turn = 0; turn < times; ++turn) {
    RingExchange messages(buffers, to, spec.bytes, spec.messages);
    for (int message = 0; message < spec.messages; ++message)
      for (const int neighbour : {0, 1})
        buffers.write(sent_from(buffers, spec.bytes, neighbour, message), spec.bytes, turn);
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

/// Rings of messages that a burst's places hold, with so many messages each.
std::vector<RingSpec> with_messages(const std::vector<RingSpec>& rings,
                                    const std::vector<int>& counts) {
  std::vector<RingSpec> bursts;
  for (const RingSpec& ring : rings) {
    if (ring.bytes > largest_in_burst) continue;
    for (const int count : counts) {
      bursts.push_back(ring);
      bursts.back().messages = count;
    }
  }
  return bursts;
}

/// Ranks of a node, 2, 4, ... and all, each in a ring with one of another node.
std::vector<RingSpec> pair_rings(const Bench& bench, MessageMemory memory) {
  std::vector<RingSpec> specs;
  const auto pairs = network_pairs(bench.node_of_rank()).pairs;
  for (const std::size_t bytes : message_sizes(bench.limits()))
    for (const int count : doubling_up_to(static_cast<int>(pairs.size()))) {
      if (count < 2) continue;
      RingSpec spec{link_of("network", memory), {}, bytes, memory, 1, count};
      for (int pair = 0; pair < count; ++pair) {
        const auto& [one, other] = pairs[static_cast<std::size_t>(pair)];
        spec.ranks.insert(spec.ranks.end(), {one, other});
      }
      specs.push_back(std::move(spec));
    }
  return specs;
}

/// The first rank of every node, and the first two of the node with the most ranks.
std::vector<RingSpec> lone_rings(const Bench& bench, MessageMemory memory) {
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
    if (on_a_node.size() > 1)
      specs.push_back({link_of("shared_memory", memory), on_a_node, bytes, memory});
    if (first_of_nodes.size() > 1)
      specs.push_back({link_of("network", memory), first_of_nodes, bytes, memory});
  }
  return specs;
}

}  // namespace

std::string link_of(const std::string& path, MessageMemory memory) {
  return memory == MessageMemory::host ? path : path + "_direct";
}

std::string PairSpec::name() const {
  const auto [first, second] = pairs.pairs.front();
  return fmt::format("{}/{}/{}/pairs:{}/ranks:{}-{}", link(), text(pattern), bytes, count, first,
                     second);
}

std::vector<PairSpec> pair_specs(const Bench& bench, MessageMemory memory) {
  std::vector<PairSpec> specs;
  const auto& nodes = bench.node_of_rank();
  for (const std::size_t bytes : message_sizes(bench.limits()))
    for (const RankPairs& pairs : {shared_memory_pairs(nodes), network_pairs(nodes)}) {
      if (pairs.pairs.empty()) continue;
      specs.push_back({pairs, PairPattern::ping_pong, 1, bytes, memory});
      if (memory == MessageMemory::host)
        specs.push_back({pairs, PairPattern::ping_pong_unaligned, 1, bytes, memory});
      for (const int count : doubling_up_to(static_cast<int>(pairs.pairs.size())))
        specs.push_back({pairs, PairPattern::exchange, count, bytes, memory});
    }
  return specs;
}

BenchCase make_case(Bench& bench, const PairSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = static_cast<double>(spec.bytes);
  work.batch = batch_for(fast_message_s + work.bytes / fast_link_bytes_per_s, 1e-4);
  const auto place = spec.pairs.place_of(bench.session().rank(), spec.count);
  work.active = place.partner >= 0;
  work.everyone = 2 * spec.count == bench.session().size();
  const auto messages = [&bench, place, spec](int count) {
    MessageBuffers& buffers = buffers_of(bench, spec.memory);
    if (spec.pattern == PairPattern::exchange)
      return exchange(buffers, place.partner, spec.bytes, count);
    const std::size_t offset = spec.pattern == PairPattern::ping_pong_unaligned ? off_the_page : 0;
    return ping_pong(buffers, place, spec.bytes, offset, count);
  };
  // The first message between two ranks connects them, and those before warm the buffers.
  work.prepare = [messages, batch = work.batch] { (void)messages(std::min(batch, 2)); };
  work.sample = [messages, batch = work.batch] { return messages(batch); };
  return work;
}

std::string RingSpec::name() const {
  std::string ring = fmt::format("{}/ring/{}/ranks:{}", link, bytes, ranks.size());
  if (rings > 1) ring += fmt::format("/rings:{}", rings);
  return messages == 1 ? ring : fmt::format("{}/exchanges:{}", ring, exchanges());
}

std::vector<RingSpec> burst_specs(const Bench& bench, MessageMemory memory) {
  std::vector<RingSpec> bursts = with_messages(lone_rings(bench, memory), {1, 2, 4});
  for (RingSpec& large : lone_rings(bench, memory))
    if (large.bytes > largest_in_burst && large.link.starts_with("network"))
      bursts.push_back(std::move(large));
  for (RingSpec& spec : with_messages(pair_rings(bench, memory), {1, 4}))
    bursts.push_back(std::move(spec));
  return bursts;
}

BenchCase make_case(Bench& bench, const RingSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = spec.exchanges() * static_cast<double>(spec.bytes);
  work.batch = ring_batch;
  const auto me = std::find(spec.ranks.begin(), spec.ranks.end(), bench.session().rank());
  work.active = me != spec.ranks.end();
  const int ring = static_cast<int>(spec.ranks.size()) / spec.rings;
  work.everyone = ring * spec.rings == bench.session().size();
  Neighbours to{};
  if (work.active) {
    const auto at = static_cast<int>(me - spec.ranks.begin());
    const auto at_its = [&](int place) {
      return spec.ranks[static_cast<std::size_t>(at / ring * ring + place % ring)];
    };
    to = {at_its(at + ring - 1), at_its(at + 1)};
  }
  const auto messages = [&bench, to, spec](int times) {
    return exchange(buffers_of(bench, spec.memory), to, spec, times);
  };
  work.prepare = [messages] { (void)messages(1); };
  work.sample = [messages] { return messages(ring_batch); };
  return work;
}

}  // namespace bellwether
