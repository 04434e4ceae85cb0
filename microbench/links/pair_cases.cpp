// SPDX-License-Identifier: MIT
#include "microbench/links/pair_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/links/message_buffers.hpp"

namespace bellwether {
namespace {

constexpr int message_tag = 1, meeting_tag = 2;
constexpr std::size_t off_the_page = 4;  // bytes: a value of the smallest type
constexpr double fast_message_s = 5e-7, fast_link_bytes_per_s = 1e10;  // for the batch only

int message_count(std::size_t bytes) { return static_cast<int>(bytes); }

/// Half the round trip, seen by the first of the pair; the second's part lies within it. Both have
/// written what they will send, and the second waits in its receive, when the clock starts.
double ping_pong(const MessageBuffers& buffers, RankPairs::Place place, std::size_t bytes,
                 std::size_t offset, int batch) {
  const int count = message_count(bytes);
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    std::byte* const send = buffers.send(bytes, turn, offset);
    std::byte* const receive = buffers.receive(bytes, turn, offset);
    write_fresh(send, bytes, turn);
    meet(place.partner);
    const double begin = clock_s();
    if (place.first) MPI_Send(send, count, MPI_BYTE, place.partner, message_tag, MPI_COMM_WORLD);
    MPI_Recv(receive, count, MPI_BYTE, place.partner, message_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (!place.first) MPI_Send(send, count, MPI_BYTE, place.partner, message_tag, MPI_COMM_WORLD);
    total += clock_s() - begin;
  }
  return place.first ? total / 2 : 0;
}

/// Both ways at once, as a halo is exchanged: written just before, received into cold memory.
double exchange(MessageBuffers& buffers, int partner, std::size_t bytes, int batch) {
  double total = 0;
  for (int turn = 0; turn < batch; ++turn) {
    PersistentExchange messages(buffers.send(bytes, turn), buffers.cold_registered(bytes), bytes,
                                partner);
    write_fresh(buffers.send(bytes, turn), bytes, turn);
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

}  // namespace

void meet(int partner) { meet(partner, partner); }

void meet(int told, int awaited) {
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, told, meeting_tag, nullptr, 0, MPI_BYTE, awaited, meeting_tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PersistentExchange::PersistentExchange(const std::byte* send, std::byte* receive, std::size_t bytes,
                                       int partner) {
  const int count = message_count(bytes);
  MPI_Recv_init(receive, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests_[0]);
  MPI_Send_init(send, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests_[1]);
}

PersistentExchange::~PersistentExchange() {
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void PersistentExchange::poll() {
  int done = 0;
  MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE);
}

std::string PairSpec::name() const {
  const auto [first, second] = pairs.pairs.front();
  return fmt::format("{}/{}/{}/pairs:{}/ranks:{}-{}", pairs.link, text(pattern), bytes, count,
                     first, second);
}

std::vector<PairSpec> pair_specs(const Bench& bench) {
  std::vector<PairSpec> specs;
  const auto& nodes = bench.node_of_rank();
  for (const std::size_t bytes : message_sizes(bench.limits()))
    for (const RankPairs& pairs : {shared_memory_pairs(nodes), network_pairs(nodes)}) {
      if (pairs.pairs.empty()) continue;
      specs.push_back({pairs, PairPattern::ping_pong, 1, bytes});
      specs.push_back({pairs, PairPattern::ping_pong_unaligned, 1, bytes});
      for (const int count : doubling_up_to(static_cast<int>(pairs.pairs.size())))
        specs.push_back({pairs, PairPattern::exchange, count, bytes});
    }
  return specs;
}

std::vector<PairSpec> hop_specs(const Bench& bench) {
  std::vector<PairSpec> specs;
  for (int node = 2; node < node_count(bench.node_of_rank()); ++node)
    specs.push_back({network_pairs(bench.node_of_rank(), node), PairPattern::ping_pong, 1,
                     message_sizes(bench.limits()).front()});
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
    if (spec.pattern == PairPattern::exchange)
      return exchange(buffers_of(bench), place.partner, spec.bytes, count);
    const std::size_t offset = spec.pattern == PairPattern::ping_pong_unaligned ? off_the_page : 0;
    return ping_pong(buffers_of(bench), place, spec.bytes, offset, count);
  };
  // The first message between two ranks connects them, and those before warm the buffers.
  work.prepare = [messages, batch = work.batch] { (void)messages(std::min(batch, 2)); };
  work.sample = [messages, batch = work.batch] { return messages(batch); };
  return work;
}

}  // namespace bellwether
