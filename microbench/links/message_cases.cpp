// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"

namespace bellwether {
namespace {

constexpr int ping_pong_tag = 1;
constexpr int ring_batch = 3;
constexpr int most_in_burst = 4;  // messages to a neighbour
constexpr std::size_t largest_in_burst = MessageBuffers::small_message / most_in_burst;
constexpr double fast_message_s = 5e-7, fast_link_bytes_per_s = 1e10;  // for the batch only

/// Half the round trips that follow one another, seen by the first of the pair: latency as OSU's
/// benchmark defines it, from the same memory each time. The second waits in its receive when the
/// clock starts.
double ping_pong(const MessageBuffers& buffers, RankPairs::Place place, std::size_t bytes,
                 int batch) {
  const int count = static_cast<int>(bytes);
  std::byte* const send = buffers.send(bytes, 0);
  std::byte* const receive = buffers.receive(bytes, 0);
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
  return pattern == PairPattern::exchange ? "exchange" : "ping_pong";
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
  const int ring = static_cast<int>(spec.ranks.size());
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
    return ping_pong(buffers, place, spec.bytes, count);
  };
  // The first message between two ranks connects them, and those before warm the buffers.
  work.prepare = [messages, batch = work.batch] { (void)messages(std::min(batch, 2)); };
  work.sample = [messages, batch = work.batch] { return messages(batch); };
  return work;
}

std::string RingSpec::name() const {
  return fmt::format("{}/ring/{}/ranks:{}/exchanges:{}", link, bytes, ranks.size(), exchanges());
}

std::vector<RingSpec> burst_specs(const Bench& bench, MessageMemory memory) {
  const auto& nodes = bench.node_of_rank();
  std::vector<int> first_of_nodes, on_a_node;
  for (int node = 0; node < node_count(nodes); ++node)
    first_of_nodes.push_back(
        static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
  if (const auto pairs = shared_memory_pairs(nodes).pairs; !pairs.empty())
    on_a_node = {pairs.front().first, pairs.front().second};
  std::vector<RingSpec> bursts;
  for (const std::size_t bytes : message_sizes(bench.limits()))
    for (const auto& [path, ranks] :
         {std::pair{"shared_memory", &on_a_node}, std::pair{"network", &first_of_nodes}})
      for (const int messages : {1, 2, most_in_burst})
        if (ranks->size() > 1 && bytes <= largest_in_burst)
          bursts.push_back({link_of(path, memory), *ranks, bytes, memory, messages});
  return bursts;
}

BenchCase make_case(Bench& bench, const RingSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = spec.exchanges() * static_cast<double>(spec.bytes);
  work.batch = ring_batch;
  const auto me = std::find(spec.ranks.begin(), spec.ranks.end(), bench.session().rank());
  work.active = me != spec.ranks.end();
  const std::size_t ring = spec.ranks.size();
  work.everyone = static_cast<int>(ring) == bench.session().size();
  Neighbours to{};
  if (work.active) {
    const auto at = static_cast<std::size_t>(me - spec.ranks.begin());
    to = {spec.ranks[(at + ring - 1) % ring], spec.ranks[(at + 1) % ring]};
  }
  const auto messages = [&bench, to, spec](int times) {
    return exchange(buffers_of(bench, spec.memory), to, spec, times);
  };
  work.prepare = [messages] { (void)messages(1); };
  work.sample = [messages] { return messages(ring_batch); };
  return work;
}

}  // namespace bellwether
