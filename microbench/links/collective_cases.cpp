// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "microbench/links/links.hpp"
#include "microbench/links/messages.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double fast_block_s = 5e-7, fast_link_bytes_per_s = 1e10;  // for the batch only
constexpr int fewest_calls = 4;  // of a sample, whose last result is verified
constexpr int root = 0;

/// A communicator of the ranks below a bound; null on the others.
std::shared_ptr<const MPI_Comm> first_ranks(const Session& session, int ranks) {
  const int color = session.rank() < ranks ? 0 : MPI_UNDEFINED;
  auto* const comm = new MPI_Comm(MPI_COMM_NULL);
  MPI_Comm_split(session.world(), color, session.rank(), comm);
  return {comm, [](MPI_Comm* owned) {
            if (*owned != MPI_COMM_NULL) MPI_Comm_free(owned);
            delete owned;
          }};
}

/// What one rank has for another in each place of a block: whole numbers below 2^20, so that sums
/// over ranks are exact in any order.
double number(int from, int to, std::size_t place) {
  std::uint64_t word = 0x9e3779b97f4a7c15ull * (place + 1) +
                       0xbf58476d1ce4e5b9ull * static_cast<std::uint64_t>(from + 1) +
                       0x94d049bb133111ebull * static_cast<std::uint64_t>(to + 1);
  word = (word ^ word >> 31) * 0xd6e8feb86659fd93ull;
  return static_cast<double>(word >> 44);
}

/// One collective on this rank, its blocks in the messages' buffers.
class BlockCollective {
 public:
  BlockCollective(Bench& bench, BlockSpec spec) : bench_(bench), spec_(std::move(spec)) {}

  /// Before any run.
  void write() {
    const MessageBuffers& buffers = buffers_of(bench_, spec_.memory);
    send_ = buffers.send(spec_.largest_bytes(), 0);
    receive_ = buffers.receive(spec_.largest_bytes(), 0);
    const int blocks = spec_.collective == "allgather" ? 1 : sends_all() ? spec_.ranks : 0;
    for (int to = 0; to < blocks; ++to)
      put(send_, to,
          [&](std::size_t place) { return number(rank(), blocks == 1 ? 0 : to, place); });
  }

  /// Seconds within the calls.
  double run(int times) {
    for (int block = 0; block < blocks_received(); ++block)
      put(receive_, block, [&](std::size_t place) {
        return spec_.collective == "bcast" && rank() == root ? number(root, 0, place) : -1;
      });
    const MPI_Comm world = bench_.session().world();
    call();  // the first connects the ranks
    double seconds = 0;
    for (int turn = 0; turn < times; ++turn) {
      MPI_Barrier(world);
      const double begin = clock_s();
      call();
      seconds += clock_s() - begin;
    }
    agree_on_errors(world, [this] { verify(); });
    return seconds;
  }

 private:
  [[nodiscard]] int rank() const { return bench_.session().rank(); }
  [[nodiscard]] bool sends_all() const {
    return spec_.collective == "alltoall" || spec_.collective == "reduce_scatter";
  }
  [[nodiscard]] int blocks_received() const {
    return spec_.collective == "alltoall" || spec_.collective == "allgather" ? spec_.ranks : 1;
  }

  void call() const {
    const MPI_Comm world = bench_.session().world();
    const int count = static_cast<int>(spec_.bytes / sizeof(double));
    if (spec_.collective == "alltoall")
      MPI_Alltoall(send_, count, MPI_DOUBLE, receive_, count, MPI_DOUBLE, world);
    else if (spec_.collective == "allgather")
      MPI_Allgather(send_, count, MPI_DOUBLE, receive_, count, MPI_DOUBLE, world);
    else if (spec_.collective == "bcast")
      MPI_Bcast(receive_, count, MPI_DOUBLE, root, world);
    else
      MPI_Reduce_scatter_block(send_, receive_, count, MPI_DOUBLE, MPI_SUM, world);
  }

  template <class Number>
  void put(std::byte* to, int block, Number&& number_at) {
    block_.resize(spec_.bytes / sizeof(double));
    for (std::size_t place = 0; place < block_.size(); ++place) block_[place] = number_at(place);
    bench_.device().copy_and_wait(to + static_cast<std::size_t>(block) * spec_.bytes, block_.data(),
                                  spec_.bytes, bench_.stream());
  }

  [[nodiscard]] double expected(int block, std::size_t place) const {
    if (spec_.collective == "alltoall") return number(block, rank(), place);
    if (spec_.collective != "reduce_scatter") return number(block, 0, place);
    double sum = 0;
    for (int from = 0; from < spec_.ranks; ++from) sum += number(from, rank(), place);
    return sum;
  }

  void verify() {
    block_.resize(spec_.bytes / sizeof(double));
    for (int block = 0; block < blocks_received(); ++block) {
      bench_.device().copy_and_wait(block_.data(),
                                    receive_ + static_cast<std::size_t>(block) * spec_.bytes,
                                    spec_.bytes, bench_.stream());
      for (std::size_t place = 0; place < block_.size(); ++place)
        if (const double right = expected(block, place); block_[place] != right)
          throw BadEnvironment(fmt::format(
              "{}: wrong result: rank {} found {} at place {} of block {}, expected {}: "
              "this MPI's collectives cannot be trusted here",
              spec_.name(), rank(), block_[place], place, block, right));
    }
  }

  Bench& bench_;
  BlockSpec spec_;
  std::byte *send_ = nullptr, *receive_ = nullptr;
  std::vector<double> block_;
};

}  // namespace

std::string CollectiveSpec::name() const { return fmt::format("allreduce/ranks:{}", ranks); }

std::vector<CollectiveSpec> collective_specs(const Bench& bench) {
  std::vector<CollectiveSpec> specs;
  for (const int ranks : doubling_up_to(bench.session().size()))
    if (ranks > 1) specs.push_back({ranks});
  return specs;
}

BenchCase make_case(Bench& bench, const CollectiveSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.batch = 50;  // a sample of about a tenth of a millisecond
  work.active = bench.session().rank() < spec.ranks;
  work.everyone = spec.ranks == bench.session().size();
  const auto comm = first_ranks(bench.session(), spec.ranks);
  work.sample = [comm, batch = work.batch] {
    const double from = 0.1;
    double to = 0;
    MPI_Barrier(*comm);
    const double begin = clock_s();
    for (int repeat = 0; repeat < batch; ++repeat)
      MPI_Allreduce(&from, &to, 1, MPI_DOUBLE, MPI_SUM, *comm);
    return clock_s() - begin;
  };
  return work;
}

std::size_t BlockSpec::largest_bytes() const {
  return collective == "bcast" ? bytes : static_cast<std::size_t>(ranks) * bytes;
}

std::string BlockSpec::name() const { return fmt::format("{}/{}/ranks:{}", key(), bytes, ranks); }

std::vector<BlockSpec> block_specs(const Bench& bench, MessageMemory memory,
                                   std::span<const std::size_t> sizes) {
  std::vector<BlockSpec> specs;
  const int ranks = bench.session().size();
  const std::size_t largest = message_sizes(bench.limits()).back();
  for (const char* collective : block_collectives)
    for (const std::size_t bytes : sizes)
      if (const BlockSpec spec{collective, bytes, ranks, memory};
          ranks > 1 && spec.largest_bytes() <= largest)
        specs.push_back(spec);
  return specs;
}

BenchCase make_case(Bench& bench, const BlockSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.bytes = static_cast<double>(spec.bytes);
  const auto largest = static_cast<double>(spec.largest_bytes());
  work.batch = std::max(
      fewest_calls, batch_for(spec.ranks * fast_block_s + largest / fast_link_bytes_per_s, 1e-4));
  const auto collective = std::make_shared<BlockCollective>(bench, spec);
  work.prepare = [collective] { collective->write(); };
  work.sample = [collective, batch = work.batch] { return collective->run(batch); };
  return work;
}

}  // namespace bellwether
