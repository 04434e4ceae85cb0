// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "kernels/stream/stream.hpp"
#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"

namespace bellwether {
namespace {

constexpr int batch = 3;
constexpr std::size_t largest_sweep = 64 << 20;  // of less in proportion
constexpr std::size_t messages[] = {8, 64 << 10, 1 << 20};

/// Exchanges of a pair that each follow a sweep through memory, as a step's follow its fields'.
class SweptExchanges {
 public:
  SweptExchanges(Bench& bench, int partner, const SweptSpec& spec)
      : bench_(bench),
        kernels_(bench.kernels<StreamKernels<double>>()),
        partner_(partner),
        swept_bytes_(spec.swept_bytes),
        bytes_(spec.bytes) {}

  /// Seconds of so many exchanges, without sweeps and without what one of the pair waits until the
  /// other is there: of each those of the rank that came last, whose exchange is the shorter.
  double run(int times) {
    MessageBuffers& buffers = buffers_of(bench_);
    double total = 0;
    for (int turn = 0; turn < times; ++turn) {
      PersistentExchange exchange(buffers.send(bytes_, turn), buffers.cold_registered(bytes_),
                                  bytes_, partner_);
      sweep();
      buffers.write(buffers.send(bytes_, turn), bytes_, turn);
      if (swept_bytes_ == 0) meet(partner_);
      const double begin = clock_s();
      exchange.start();
      exchange.finish();
      const double mine = clock_s() - begin;
      double others = 0;
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, partner_, 5, &others, 1, MPI_DOUBLE, partner_, 5,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      total += std::min(mine, others);
    }
    return total;
  }

 private:
  /// In f64, as which everything in the arena is ordinary (Bench::renew_numbers).
  void sweep() {
    const std::size_t values = swept_bytes_ / (3 * sizeof(double));
    if (values == 0) return;
    auto* const a = reinterpret_cast<double*>(bench_.arena());
    kernels_.run(StreamKernel::triad, a, a + values, a + 2 * values, 0.4, values, Stores::cached,
                 bench_.stream());
    bench_.device().fence(bench_.stream());
  }

  Bench& bench_;
  StreamKernels<double>& kernels_;
  int partner_;
  std::size_t swept_bytes_, bytes_;
};

}  // namespace

std::string SweptSpec::name() const {
  return fmt::format("swept/{}/{}/{}", pairs.link, swept_bytes, bytes);
}

std::vector<SweptSpec> swept_specs(const Bench& bench) {
  std::vector<SweptSpec> specs;
  if (!bench.device().is_host()) return specs;
  const auto& nodes = bench.node_of_rank();
  const std::size_t largest = message_sizes(bench.limits()).back();
  const std::size_t swept = std::min(largest_sweep, bench.limits().most_case_bytes);
  for (const RankPairs& pairs : {shared_memory_pairs(nodes), network_pairs(nodes)})
    for (const std::size_t sweep : {std::size_t{0}, swept})
      for (const std::size_t bytes : messages)
        if (!pairs.pairs.empty() && bytes <= largest) specs.push_back({pairs, sweep, bytes});
  return specs;
}

BenchCase make_case(Bench& bench, const SweptSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  const int pairs = static_cast<int>(spec.pairs.pairs.size());
  const auto place = spec.pairs.place_of(bench.session().rank(), pairs);
  work.batch = batch;
  work.samples_per_round = 2;
  work.active = place.partner >= 0;
  work.everyone = 2 * pairs == bench.session().size();
  const auto state = std::make_shared<SweptExchanges>(bench, place.partner, spec);
  work.prepare = [&bench, state] {
    (void)bench.arena();
    (void)state->run(1);
  };
  work.sample = [state] { return state->run(batch); };
  return work;
}

}  // namespace bellwether
