// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/airfoil/airfoil_gas.hpp"
#include "miniapps/comm/reduce.hpp"

namespace bellwether {

AirfoilSums total_over_ranks(MPI_Comm comm, AirfoilSums sums) {
  for (double* const values : {sums.total, sums.magnitude})
    MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &sums.not_finite, 1, MPI_INT64_T, MPI_SUM, comm);
  return sums;
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

namespace {

constexpr double double_unit = std::numeric_limits<double>::epsilon() / 2;
constexpr const char* values_of_cell[] = {"mass", "momentum in x", "momentum in y", "energy"};

}  // namespace

Verification finite_flow(const NotFinite& now, long iteration) {
  if (now.count == 0) return {true, "finite values", 0, 0};
  return {false,
          fmt::format("values not finite: iteration {}, rank {}, cell {}, the first of {}",
                      iteration, now.rank, now.first, now.count),
          static_cast<double>(now.count), 0};
}

std::array<double, 4> largest_fluxes(const AirfoilSums& flow) {
  const auto& [density, x, y, energy] = flow.magnitude;
  // Cauchy and Schwarz: the root of a product under the sum is at most that of the sums' product.
  const double pressure = std::sqrt((airfoil::gamma - 1) / airfoil::gamma * density * energy);
  std::array<double, 4> most{density, x + pressure, y + pressure, airfoil::gamma * energy};
  for (double& value : most) value *= 2 * airfoil::cfl;
  return most;
}

Verification conservation(const AirfoilResidual& residual, std::int64_t cells, double unit) {
  constexpr double part = 1024;
  const std::array<double, 4> most = largest_fluxes(residual.flow);
  const double additions = part + static_cast<double>(cells) / part;
  std::vector<Verification> each;
  for (int k = 0; k < 4; ++k) {
    const double miss = std::abs(residual.all.total[k] - residual.boundary.total[k]);
    const double sums = residual.all.magnitude[k] + residual.boundary.magnitude[k];
    each.push_back(judged(fmt::format("conservation of {}", values_of_cell[k]), miss / most[k],
                          8 * unit + double_unit * additions * sums / most[k]));
  }
  return worst_of(each);
}

Verification free_stream_preserved(const AirfoilResidual& residual, double unit) {
  const std::array<double, 4> most = largest_fluxes(residual.flow);
  std::vector<Verification> each;
  for (int k = 0; k < 4; ++k)
    each.push_back(judged(fmt::format("free stream's {}", values_of_cell[k]),
                          residual.away_from_wall.magnitude[k] / most[k], 16 * unit));
  return worst_of(each);
}

Verification rms_of_reference(double rms) {
  constexpr double expected = 0.0001060114637578;
  return judged("rms of the reference", std::abs(rms - expected) / expected, 1e-7);
}

Verification rms_fallen(double rms, double of_first, long iterations, double unit) {
  constexpr long settled = 200;
  const double left = iterations < settled ? 1 : 0.5;
  return judged("rms fallen", rms, left * of_first + 16 * unit);
}

Verification rms_without_jump(double rms, double least, double unit) {
  return judged("rms beside the least before", rms, 3 * least + 16 * unit);
}

}  // namespace bellwether
