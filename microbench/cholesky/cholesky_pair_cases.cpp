// SPDX-License-Identifier: MIT
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "microbench/cholesky/cholesky_cases.hpp"
#include "microbench/links/panel_pair.hpp"

namespace bellwether::cholesky_cases {
namespace {

using Operation = CholeskySpec::Operation;

/// A pair that sends columns, apart from HPL's, which sends panels.
struct PairOnNode : PanelPair {
  explicit PairOnNode(const Bench& bench)
      : PanelPair(bench, shared_memory_pairs(bench.node_of_rank())) {}
};

}  // namespace

CholeskySpec updated_between(const CholeskySizes& sizes) {
  CholeskySpec spec{Operation::update, "f64", 512, 0, 0, 1};
  while (spec.rows > 8 && update_bytes(spec) > room_for_columns(sizes)) spec.rows /= 2;
  return spec;
}

void make_pair_case(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  PanelPair& pair =
      bench.kept<PairOnNode>([&bench] { return std::make_unique<PairOnNode>(bench); });
  constexpr std::size_t most = 1 << 18;
  const auto doubles = as_count(spec.rows);
  work.active = pair.has_me();
  if (spec.operation != Operation::overhead)
    work.bytes = static_cast<double>(doubles * sizeof(double));
  work.batch = 8;
  pair.make_broadcast(bench.device(), std::max(most, doubles));
  const auto columns = std::make_shared<std::unique_ptr<Columns<double>>>();
  const auto update = [&bench, columns](bool all) {
    const CholeskyColumns<double>& own = (*columns)->columns;
    bench.kernels<CholeskyKernels<double>>().subtract_column(
        own, all ? 0 : own.count / 3, own.count, beside<double>(bench), 0, bench.stream());
  };
  const auto compose = [&bench, doubles](double* to) {
    const std::size_t most_at_once = sizes_of(bench).beside_bytes() / sizeof(double);
    for (std::size_t n = 0; n < doubles; n += most_at_once)
      bench.device().copy_shared(to + n, beside<double>(bench),
                                 std::min(most_at_once, doubles - n) * sizeof(double),
                                 bench.stream());
  };
  const auto sample = [&pair, doubles, compose, update, batch = work.batch,
                       both_compute = spec.operation == Operation::overhead] {
    if (!pair.has_me()) return 0.;
    update(true);
    MPI_Barrier(pair.comm());
    return both_compute ? pair.send_beside(batch, doubles, compose, update)
                        : pair.send_between(batch, doubles, compose, update);
  };
  work.prepare = [&bench, columns, sample, rows = updated_between(sizes_of(bench)).rows] {
    if (!*columns)
      *columns = std::make_unique<Columns<double>>(bench, rows, 1, values<double>(bench));
    renew_numbers<double>(bench, update_bytes(updated_between(sizes_of(bench))) / sizeof(double));
    (void)sample();
  };
  work.sample = sample;
}

}  // namespace bellwether::cholesky_cases
