// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_totals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {

AirfoilTotals total_over_ranks(MPI_Comm comm, const AirfoilSums& local) {
  std::array<double, 9> values{};
  std::copy(local.total.begin(), local.total.end(), values.begin());
  std::copy(local.magnitude.begin(), local.magnitude.end(), values.begin() + 4);
  values[8] = static_cast<double>(local.not_finite);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                comm);
  AirfoilTotals all;
  std::copy_n(values.begin(), 4, all.total.begin());
  std::copy_n(values.begin() + 4, 4, all.magnitude.begin());
  all.not_finite = values[8];
  return all;
}

template <class T>
NotFinite find_not_finite(MPI_Comm comm, const std::vector<T>& values, const LocalSet& cells) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t count = 0, first = none;
  for (int cell = 0; cell < cells.owned(); ++cell) {
    const auto of_cell = values.begin() + static_cast<std::ptrdiff_t>(cell) * 4;
    if (std::all_of(of_cell, of_cell + 4, [](T value) { return std::isfinite(value); })) continue;
    ++count;
    first = std::min(first, cells.global[cell]);
  }
  NotFinite found;
  MPI_Allreduce(&count, &found.count, 1, MPI_INT64_T, MPI_SUM, comm);
  if (found.count == 0) return found;
  MPI_Allreduce(&first, &found.first, 1, MPI_INT64_T, MPI_MIN, comm);
  found.rank = lowest_rank_where(comm, first == found.first);
  return found;
}

template NotFinite find_not_finite(MPI_Comm, const std::vector<float>&, const LocalSet&);
template NotFinite find_not_finite(MPI_Comm, const std::vector<double>&, const LocalSet&);

}  // namespace bellwether
