// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

constexpr int tag = 4;
constexpr double late_s = 1e-3;  // of the receiver: far longer than a sender's own part

/// Seconds of the sender, when its receiver waits for it and when that comes late; of the receiver
/// none.
class LateReceiver {
 public:
  LateReceiver(Bench& bench, RankPairs::Place place, std::size_t bytes)
      : bench_(bench), place_(place), bytes_(bytes) {}

  double run() {
    const double begin = clock_s();
    in_time_s_ = send(false);
    late_s_ = send(true);
    return clock_s() - begin;
  }
  [[nodiscard]] std::vector<double> seconds() const { return {in_time_s_, late_s_}; }

 private:
  double send(bool comes_late) {
    MessageBuffers& buffers = buffers_of(bench_);
    const int count = static_cast<int>(bytes_);
    std::byte* const memory =
        place_.first ? buffers.send(bytes_, comes_late) : buffers.receive(bytes_, comes_late);
    if (place_.first) buffers.write(memory, bytes_, ++turn_);
    meet(place_.partner);
    const double begin = clock_s();
    if (place_.first) {
      MPI_Send(memory, count, MPI_BYTE, place_.partner, tag, MPI_COMM_WORLD);
      return clock_s() - begin;
    }
    if (comes_late) std::this_thread::sleep_for(std::chrono::duration<double>(late_s));
    MPI_Recv(memory, count, MPI_BYTE, place_.partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
  }

  Bench& bench_;
  RankPairs::Place place_;
  std::size_t bytes_;
  int turn_ = 0;
  double in_time_s_ = 0, late_s_ = 0;
};

}  // namespace

std::string EagerSpec::name() const {
  return fmt::format("late_receiver/{}/{}", pairs.link, bytes);
}

std::vector<EagerSpec> eager_specs(const Bench& bench) {
  constexpr std::size_t smallest = 1 << 10, most = 4 << 20;
  std::vector<EagerSpec> specs;
  const auto& nodes = bench.node_of_rank();
  for (const RankPairs& pairs : {shared_memory_pairs(nodes), network_pairs(nodes)})
    for (const std::size_t bytes : message_sizes(bench.limits()))
      if (!pairs.pairs.empty() && bytes >= smallest && bytes <= most)
        specs.push_back({pairs, bytes});
  return specs;
}

BenchCase make_case(Bench& bench, const EagerSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  const auto place = spec.pairs.place_of(bench.session().rank(), 1);
  work.active = place.partner >= 0;
  work.everyone = bench.session().size() == 2;
  const auto state = std::make_shared<LateReceiver>(bench, place, spec.bytes);
  work.prepare = [state] { (void)state->run(); };
  work.sample = [state] { return state->run(); };
  work.parts = {"in_time", "late"};
  work.part_seconds = [state] { return state->seconds(); };
  return work;
}

bool waits_for_receiver(const std::vector<double>& in_time_s, const std::vector<double>& late) {
  std::vector<double> longer;
  for (std::size_t n = 0; n < std::min(in_time_s.size(), late.size()); ++n)
    longer.push_back(late[n] - in_time_s[n]);
  return median_of(std::move(longer)) > late_s / 2;
}

}  // namespace bellwether
