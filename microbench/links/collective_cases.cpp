// SPDX-License-Identifier: MIT
#include "microbench/links/collective_cases.hpp"

#include <fmt/format.h>

#include "microbench/links/rank_pairs.hpp"

namespace bellwether {
namespace {

constexpr int batch = 50;

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

}  // namespace

std::string CollectiveSpec::name() const { return fmt::format("{}/ranks:{}", collective, ranks); }

std::vector<CollectiveSpec> collective_specs(const Bench& bench) {
  std::vector<CollectiveSpec> specs;
  for (const char* collective : {"barrier", "allreduce"})
    for (const int ranks : doubling_up_to(bench.session().size()))
      if (ranks > 1) specs.push_back({collective, ranks});
  return specs;
}

BenchCase make_case(Bench& bench, const CollectiveSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.batch = batch;
  work.active = bench.session().rank() < spec.ranks;
  work.everyone = spec.ranks == bench.session().size();
  const auto comm = first_ranks(bench.session(), spec.ranks);
  const bool reduces = spec.collective == "allreduce";
  work.sample = [comm, reduces] {
    double value = 1;
    MPI_Barrier(*comm);
    const double begin = clock_s();
    for (int repeat = 0; repeat < batch; ++repeat) {
      if (reduces)
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, *comm);
      else
        MPI_Barrier(*comm);
    }
    return clock_s() - begin;
  };
  return work;
}

}  // namespace bellwether
