// SPDX-License-Identifier: MIT
#include "microbench/links/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/stream/stream.hpp"
#include "microbench/links/messages.hpp"
#include "models/median.hpp"

namespace bellwether {
namespace {

constexpr int pieces = 8;             // of the computation, MPI polled after each
constexpr std::size_t values = 2048;  // of each array in one call of the kernel
constexpr int batch = 5;
constexpr double computing = 3;  // times an exchange's length

/// State that the three parts of a spec share on one rank.
class Hiding {
 public:
  using Part = HidingSpec::Part;

  Hiding(Bench& bench, int partner, std::size_t bytes)
      : bench_(bench),
        kernels_(bench.kernels<StreamKernels<double>>()),
        partner_(partner),
        bytes_(bytes) {}

  /// Chooses the length of the computation: a few times the exchange's, as in most steps. The same
  /// on both ranks, which call it together.
  void prepare() {
    (void)bench_.arena();
    (void)buffers_of(bench_);
    if (repeats_ > 0) return;
    const double exchange_s = fastest(Part::exchange);
    repeats_ = 64;
    const double compute_s = fastest(Part::sequence) - exchange_s;
    if (compute_s <= 0) return;
    repeats_ = std::max(1, static_cast<int>(std::lround(computing * 64 * exchange_s / compute_s)));
  }

  double repeated(Part part, int times) {
    std::vector<double> seconds;
    for (int turn = 0; turn < times; ++turn) {
      PersistentExchange messages(buffers_of(bench_).send(bytes_, 0),
                                  buffers_of(bench_).cold_registered(bytes_), bytes_, partner_);
      write_fresh(buffers_of(bench_).send(bytes_, 0), bytes_, turn);
      meet(partner_);
      const double begin = clock_s();
      if (part == Part::overlap) messages.start();
      for (int piece = 0; part != Part::exchange && piece < pieces; ++piece) {
        compute();
        if (part == Part::overlap) messages.poll();
      }
      bench_.device().fence(bench_.stream());
      if (part != Part::overlap) messages.start();
      messages.finish();
      seconds.push_back(clock_s() - begin);
    }
    return times * median_of(seconds);
  }

 private:
  /// Goes through the arena, as a step goes through its fields: what computes beside a message
  /// competes with its copies for the memory. In f64, as which everything there is ordinary
  /// (Bench::renew_numbers).
  void compute() {
    const std::size_t places = bench_.arena_bytes() / (3 * values * sizeof(double));
    auto* const arena = reinterpret_cast<double*>(bench_.arena());
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      double* const a = arena + 3 * values * (place_++ % places);
      kernels_.run(StreamKernel::triad, a, a + values, a + 2 * values, 0.4, values, Stores::cached,
                   bench_.stream());
    }
  }
  /// Of a few tries, on the slower rank: what disturbs a try only makes it longer.
  double fastest(Part part) {
    double least = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < 6; ++attempt)
      least = std::min(least, agreed(repeated(part, batch)));
    return least;
  }
  double agreed(double mine) const {
    double other = 0;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, partner_, 3, &other, 1, MPI_DOUBLE, partner_, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return std::max(mine, other);
  }

  Bench& bench_;
  StreamKernels<double>& kernels_;
  int partner_;
  std::size_t bytes_;
  int repeats_ = 0;        ///< of the kernel in one part
  std::size_t place_ = 0;  ///< in the arena
};

}  // namespace

std::string HidingSpec::name(Part part) const {
  constexpr const char* names[] = {"exchange", "sequence", "overlap"};
  return fmt::format("hiding/{}/{}/{}", pairs.link, bytes, names[static_cast<int>(part)]);
}

std::vector<HidingSpec> hiding_specs(const Bench& bench) {
  std::vector<HidingSpec> specs;
  const auto& nodes = bench.node_of_rank();
  const std::size_t largest = message_sizes(bench.limits()).back();
  for (const RankPairs& pairs : {shared_memory_pairs(nodes), network_pairs(nodes)})
    for (std::size_t bytes = 16 << 10; bytes <= 1 << 20; bytes *= 4)
      if (!pairs.pairs.empty() && bytes <= std::max<std::size_t>(16 << 10, largest))
        specs.push_back({pairs, std::min(bytes, largest)});
  return specs;
}

std::array<BenchCase, 3> make_cases(Bench& bench, const HidingSpec& spec) {
  const auto place = spec.pairs.place_of(bench.session().rank(), 1);
  const auto state = std::make_shared<Hiding>(bench, place.partner, spec.bytes);
  std::array<BenchCase, 3> cases;
  using Part = HidingSpec::Part;
  for (const Part part : {Part::exchange, Part::sequence, Part::overlap}) {
    BenchCase& work = cases[static_cast<std::size_t>(part)];
    work.name = spec.name(part);
    work.batch = batch;
    work.active = place.partner >= 0;
    work.everyone = bench.session().size() == 2;
    work.prepare = [state] { state->prepare(); };
    work.sample = [state, part] { return state->repeated(part, batch); };
  }
  return cases;
}

std::vector<double> exposed_shares(const SampleStore& store, const HidingKeys& keys) {
  const auto& [exchange, sequence, overlap] = keys;
  const std::vector<double>& exchange_s = store.at(exchange);
  const std::vector<double>& sequence_s = store.at(sequence);
  const std::vector<double>& overlap_s = store.at(overlap);
  std::vector<double> shares;
  for (std::size_t n = 0; n < std::min({exchange_s.size(), sequence_s.size(), overlap_s.size()});
       ++n)
    shares.push_back(std::max(0., 1 - (sequence_s[n] - overlap_s[n]) / exchange_s[n]));
  return shares;
}

}  // namespace bellwether
