// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {

GlobalLbmSums sum_over_ranks(MPI_Comm comm, const LbmSums& local,
                             const Decomposition& decomposition) {
  std::array<double, 8> values{local.cells,       local.excess_mass, local.momentum[0],
                               local.momentum[1], local.momentum[2], local.projection,
                               local.reference,   local.not_finite};
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                comm);
  GlobalLbmSums all;
  all.cells = values[0];
  all.excess_mass = values[1];
  std::copy_n(&values[2], 3, all.momentum);
  all.projection = values[5];
  all.reference = values[6];
  all.not_finite = values[7];
  MPI_Allreduce(&local.largest_speed, &all.largest_speed, 1, MPI_DOUBLE, MPI_MAX, comm);

  const std::array<int, 3> whole = decomposition.cells();
  constexpr long long none = std::numeric_limits<long long>::max();
  long long first = none;
  if (local.not_finite > 0) {
    const std::array<int, 3> cells = decomposition.local_cells(rank_in(comm));
    const std::array<int, 3> offset = decomposition.offset(rank_in(comm));
    const std::int64_t at = local.first_not_finite;
    const std::int64_t i = offset[0] + at % cells[0], j = offset[1] + at / cells[0] % cells[1],
                       k = offset[2] + at / cells[0] / cells[1];
    first = i + whole[0] * (j + whole[1] * k);
  }
  const long long here = first;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG_LONG, MPI_MIN, comm);
  all.rank = lowest_rank_where(comm, here != none && here == first);
  if (first != none)
    all.cell = {static_cast<int>(first % whole[0]), static_cast<int>(first / whole[0] % whole[1]),
                static_cast<int>(first / whole[0] / whole[1])};
  return all;
}

double rounding_bound(double speed, double steady, long steps, double unit) {
  constexpr double double_sums = 1e-14;
  const auto taken = static_cast<double>(steps);
  return unit * (4 * speed * std::sqrt(taken + 1) + steady * taken) + double_sums;
}

Verification finite_values(const GlobalLbmSums& now, long step) {
  if (now.rank < 0) return {true, "finite values", 0, 0};
  return {false,
          fmt::format("values not finite: step {}, rank {}, cell ({}, {}, {}), the first of {:g}",
                      step, now.rank, now.cell[0], now.cell[1], now.cell[2], now.not_finite),
          now.not_finite, 0};
}

Verification subsonic(double largest_speed) {
  return judged("Mach number", largest_speed / std::sqrt(d3q19::sound_speed_squared), 1);
}

Verification mass_balance(const GlobalLbmSums& start, const GlobalLbmSums& now, double bound) {
  return judged("mass", std::abs(now.excess_mass - start.excess_mass) / now.cells, bound);
}

Verification momentum_balance(const GlobalLbmSums& before, const GlobalLbmSums& after,
                              const std::array<double, 3>& gained, double bound) {
  std::array<double, 3> miss{};
  for (int d = 0; d < 3; ++d)
    miss[d] = (after.momentum[d] - before.momentum[d] - gained[d]) / after.cells;
  return judged("momentum", std::hypot(miss[0], miss[1], miss[2]), bound);
}

}  // namespace bellwether
