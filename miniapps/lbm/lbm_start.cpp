// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_start.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// Tables of each direction: one of each velocity component, and the density's.
constexpr int kinds = 4;

std::size_t table_values(std::array<int, 3> cells) {
  return static_cast<std::size_t>(kinds) *
         (static_cast<std::size_t>(cells[0]) + cells[1] + cells[2]);
}

}  // namespace

LbmStart::LbmStart(Device& device, const LbmProblem& problem, const Decomposition& decomposition,
                   int rank)
    : device_(device),
      problem_(problem),
      vortices_(problem.grid()),
      first_(decomposition.offset(rank)),
      cells_(decomposition.local_cells(rank)),
      table_(device, table_values(cells_)) {}

std::size_t LbmStart::table_bytes(std::array<int, 3> cells) {
  return table_values(cells) * sizeof(double);
}

/// Of the velocity without its mean.
double LbmStart::factor(int component, int direction, int cell, double moved) const {
  const double peak = direction == component ? problem_.speed : 1;
  if (problem_.starts_as_taylor_green())
    return peak * vortices_.factor(component, direction, cell, moved);
  if (component != 0 || !problem_.between_plates()) return 0;
  if (direction != 2) return peak;
  const double height = (cell - 0.5) / static_cast<double>(problem_.height());
  return std::max(0.0, 4 * height * (1 - height));
}

/// rho - 1 = p / c_s^2.
double LbmStart::excess_density(int direction, int cell) const {
  if (!problem_.starts_as_taylor_green()) return 0;
  return problem_.speed * problem_.speed / d3q19::sound_speed_squared *
         vortices_.pressure(direction, cell);
}

LbmFlow LbmStart::after(long steps, Stream& stream) {
  LbmFlow flow;
  std::copy_n(problem_.drift.begin(), 3, flow.mean);
  if (!problem_.starts_as_taylor_green() && !problem_.between_plates())
    flow.mean[0] += problem_.speed;
  const double** const along[] = {flow.x, flow.y, flow.z};
  std::vector<double> values;
  values.reserve(table_.size());
  for (int d = 0; d < 3; ++d) {
    const double moved = problem_.drift[d] * static_cast<double>(steps + 1);
    for (int component = 0; component < 3; ++component) {
      along[d][component] = table_.data() + values.size();
      for (int i = 0; i < cells_[d]; ++i)
        values.push_back(factor(component, d, first_[d] + i, moved));
    }
    flow.density[d] = table_.data() + values.size();
    for (int i = 0; i < cells_[d]; ++i) values.push_back(excess_density(d, first_[d] + i));
  }
  device_.copy_and_wait(table_.data(), values.data(), table_.bytes(), stream);
  return flow;
}

}  // namespace bellwether
