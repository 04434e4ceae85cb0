// SPDX-License-Identifier: MIT
#include "run/command/accept/measure_siblings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include "kernels/dense/dense.hpp"
#include "kernels/stream/stream.hpp"
#include "microbench/driver/bench.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/stream_timer.hpp"
#include "results/acceptance/judge.hpp"
#include "results/provenance.hpp"

namespace bellwether {
namespace {

constexpr int fewest_repeats = 3;
constexpr int most_rounds = 255;  // of a tournament on one occasion

/// In which turn this rank is measured, of how many, the same number on every rank: ranks on the
/// same cores one after the other, all others at once.
struct Turns {
  int own = 0, all = 1;
};

Turns turns_of(const Session& session) {
  constexpr int most_cores = 16;  // ranks with more than that each do not share them
  std::array<int, most_cores> cores{};
  cores.fill(-1);
  const std::vector<int> own = own_cores();
  if (own.size() <= cores.size()) std::copy(own.begin(), own.end(), cores.begin());
  std::vector<std::array<int, most_cores>> of_all(
      static_cast<std::size_t>(session.ranks_on_kernel()));
  MPI_Allgather(cores.data(), most_cores, MPI_INT, of_all.data(), most_cores, MPI_INT,
                session.kernel());
  int place = 0, rank = 0;
  MPI_Comm_rank(session.kernel(), &rank);
  int before = 0;
  for (int other = 0; other < rank; ++other)
    before += of_all[static_cast<std::size_t>(other)] == cores ? 1 : 0;
  // As many at once as those ranks have cores.
  place = own.empty() || own.size() > cores.size() ? 0 : before / static_cast<int>(own.size());
  Turns turns{place, place + 1};
  MPI_Allreduce(MPI_IN_PLACE, &turns.all, 1, MPI_INT, MPI_MAX, session.world());
  return turns;
}

class Measurements {
 public:
  Measurements(const Session& session, Device& device, Heartbeat& heartbeat,
               const Suite::Siblings& asked, int occasion)
      : session_(session),
        device_(device),
        stream_(device.make_stream(false)),
        heartbeat_(heartbeat),
        asked_(asked),
        occasion_(occasion),
        turns_(turns_of(session)) {}

  SiblingOccasion measure() {
    found_.time = utc_time();
    found_.hosts = session_.hosts();
    found_.nodes = session_.node_of_rank();
    found_.shared_cores = turns_.all > 1;
    measure_arithmetic();
    measure_memory();
    measure_products();
    measure_links();
    read_clocks();
    return std::move(found_);
  }

 private:
  /// Gathers one number of each rank on rank 0.
  std::vector<double> gathered(double mine) const {
    std::vector<double> all(static_cast<std::size_t>(session_.size()));
    MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, session_.world());
    return all;
  }

  /// Seconds that `once`, which puts work on the stream, takes each rank; in its turn.
  void take(const char* quantity, const std::function<void()>& once) {
    heartbeat_.enter("siblings");
    double seconds = 0;
    for (int turn = 0; turn < turns_.all; ++turn) {
      // Nobody spins while others are measured: also not who is next, on the core of one of them.
      quiet_barrier(session_.world(), turns_.all == 1);
      if (turn == turns_.own) {
        once();  // caches, and a library's first call
        // All of the time counts, not the middle sample: a program that takes half of a core leaves
        // half of the short samples as they were.
        int count = 0;
        const double begin = clock_s();
        for (; count < fewest_repeats || clock_s() - begin < asked_.sample_s; ++count)
          seconds += seconds_on(device_, *stream_, once);
        seconds /= count;
      }
    }
    quiet_barrier(session_.world(), turns_.all == 1);
    found_.seconds[quantity] = gathered(seconds);
  }

  void measure_arithmetic() {
    const auto kernels = make_kernels<DenseKernels<double>>(device_);
    const Buffer<double> out(device_, kernels->out_size());
    // Some milliseconds; on a device, whose flops are many, more.
    const double flops = device_.is_host() ? 2e7 : 5e10;
    const long repeats = std::max(1L, static_cast<long>(flops / kernels->multiply_add_flops(1)));
    take("arithmetic", [&] { kernels->multiply_add(repeats, out.data(), *stream_); });
  }

  void measure_memory() {
    const auto kernels = make_kernels<StreamKernels<double>>(device_);
    // Beyond the caches with all ranks at once, within a tenth of what there is.
    const std::size_t cache = device_.is_host() ? read_node_hardware().last_level_cache_bytes
                                                : device_.last_level_cache_bytes();
    const std::size_t wanted = std::clamp<std::size_t>(
        2 * cache / static_cast<std::size_t>(session_.ranks_on_kernel()), 64U << 20, 512U << 20);
    const std::size_t bytes = least(
        session_.world(), std::min<std::size_t>(wanted, memory_of_a_rank(session_, device_) / 10));
    const std::size_t values = bytes / 3 / 4096 * (4096 / sizeof(double));
    const Buffer<double> arrays(device_, 3 * values);
    kernels->fill(arrays.data(), 3 * values, static_cast<unsigned>(session_.rank()), *stream_);
    double* const a = arrays.data();
    take("memory bandwidth", [&] {
      kernels->run(StreamKernel::triad, a, a + values, a + 2 * values, 0.4, values,
                   device_.store_kinds().back(), *stream_);
    });
  }

  void measure_products() {
    const auto kernels = make_kernels<DenseKernels<double>>(device_);
    try {
      agree_on_errors(session_.world(), [&] { kernels->prepare_gemm(); });
    } catch (const std::runtime_error&) {
      return;  // without that library there are no products to compare
    }
    const int size = device_.is_host() ? 256 : 4096;
    const std::size_t values = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    const Buffer<double> matrices(device_, 3 * values);
    make_kernels<StreamKernels<double>>(device_)->fill(matrices.data(), 3 * values, 1, *stream_);
    double* const a = matrices.data();
    take("matrix product", [&] { kernels->gemm(size, a, a + values, a + 2 * values, *stream_); });
  }

  /// Half a round trip, the best of `times`: what a passing disturbance adds is not the link's.
  static double round_trip(int partner, bool first, std::vector<char>& buffer, int bytes,
                           int times) {
    double best = 1e30;
    for (int turn = 0; turn < times; ++turn) {
      const double begin = clock_s();
      for (const bool sends : {first, !first}) {
        if (sends)
          MPI_Send(buffer.data(), bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
        else
          MPI_Recv(buffer.data(), bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      if (turn > 0) best = std::min(best, (clock_s() - begin) / 2);
    }
    return best;
  }

  void measure_links() {
    const bool of_nodes = session_.nodes() > 1;
    std::vector<int> rank_of;  // of each member
    for (int rank = 0; rank < session_.size(); ++rank)
      if (!of_nodes || session_.node_of_rank()[static_cast<std::size_t>(rank)] ==
                           static_cast<int>(rank_of.size()))
        rank_of.push_back(rank);
    const int members = static_cast<int>(rank_of.size());
    if (members < 2) return;
    const auto own = std::find(rank_of.begin(), rank_of.end(), session_.rank());
    const int me = own == rank_of.end() ? -1 : static_cast<int>(own - rank_of.begin());
    const int all = tournament_rounds(members), taken = std::min(all, most_rounds);
    std::vector<char> buffer(asked_.link_message_bytes);
    constexpr std::size_t width = 4;
    std::vector<double>
        mine;  // member, member, small, large of each pair that this rank is first of
    for (int round = 0; round < taken; ++round) {
      heartbeat_.enter("links");
      // Of more rounds than are taken others on each occasion, evenly spaced.
      const int which =
          static_cast<int>((static_cast<long>(round) * all / taken + occasion_) % all);
      int partner = -1;
      bool first = false;
      for (const auto& [one, other] : tournament_round(members, which))
        if (one == me || other == me) {
          first = one == me;
          partner = first ? other : one;
        }
      quiet_barrier(session_.world(), partner >= 0);
      if (partner < 0) continue;
      const int to = rank_of[static_cast<std::size_t>(partner)];
      const double small = round_trip(to, first, buffer, 8, 21);
      const double large =
          round_trip(to, first, buffer, static_cast<int>(asked_.link_message_bytes), 4);
      if (first)
        mine.insert(mine.end(),
                    {static_cast<double>(me), static_cast<double>(partner), small, large});
    }
    quiet_barrier(session_.world(), me >= 0);
    const std::vector<double> counts = gathered(static_cast<double>(mine.size()));
    std::vector<int> sizes(counts.begin(), counts.end()), places(counts.size(), 0);
    for (std::size_t i = 1; i < sizes.size(); ++i) places[i] = places[i - 1] + sizes[i - 1];
    std::vector<double> pairs(
        static_cast<std::size_t>(session_.rank() == 0 ? places.back() + sizes.back() : 0));
    MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, pairs.data(), sizes.data(),
                places.data(), MPI_DOUBLE, 0, session_.world());
    found_.links = {of_nodes ? "nodes" : "ranks", static_cast<int>(asked_.link_message_bytes), {}};
    for (std::size_t at = 0; at < pairs.size(); at += width)
      found_.links->pairs.push_back({{static_cast<int>(pairs[at]), static_cast<int>(pairs[at + 1])},
                                     {pairs[at + 2], pairs[at + 3]}});
  }

  void read_clocks() {
    double barrier_s = clock_s();
    MPI_Barrier(session_.world());
    MPI_Barrier(session_.world());
    const double steady_s = clock_s();
    const double system_s =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    barrier_s = largest(session_.world(), steady_s - barrier_s);
    found_.clocks = {gathered(steady_s), gathered(system_s), barrier_s};
  }

  const Session& session_;
  Device& device_;
  std::unique_ptr<Stream> stream_;
  Heartbeat& heartbeat_;
  const Suite::Siblings& asked_;
  const int occasion_;
  const Turns turns_;
  SiblingOccasion found_;  ///< what is gathered on rank 0 alone
};

}  // namespace

SiblingOccasion measure_siblings(const Session& session, Device& device, Heartbeat& heartbeat,
                                 const Suite::Siblings& asked, int occasion) {
  return Measurements(session, device, heartbeat, asked, occasion).measure();
}

}  // namespace bellwether
