// SPDX-License-Identifier: MIT
#include "models/amg/amg_neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace bellwether {

AmgNeighbours::AmgNeighbours(int processes, double active)
    : processes_(processes),
      active_(std::clamp(static_cast<int>(std::lround(active)), 1, processes)),
      box_({active_, active_, active_}, least_surface(active_, {active_, active_, active_}), true) {
}

int AmgNeighbours::place_of(int rank) const {
  const auto place = static_cast<int>((1LL * rank * active_ + processes_ - 1) / processes_);
  return place < active_ && rank_of(place) == rank ? place : -1;
}

std::vector<AmgNeighbours::Shift> AmgNeighbours::nearest(double messages) const {
  if (messages <= 0 || active_ == 1) return {};
  const int count = std::min(std::max(1, static_cast<int>(std::lround(messages))), active_ - 1);
  std::vector<Shift> shifts;
  for (int reach = 1; static_cast<int>(shifts.size()) < count; ++reach) shifts = within(reach);
  const auto far = [](const Shift& s) { return s[0] * s[0] + s[1] * s[1] + s[2] * s[2]; };
  std::sort(shifts.begin(), shifts.end(), [&](const Shift& a, const Shift& b) {
    return std::tuple(far(a), a) < std::tuple(far(b), b);
  });
  shifts.resize(static_cast<std::size_t>(count));
  return shifts;
}

int AmgNeighbours::at(int place, const Shift& shift, int way) const {
  std::array<int, 3> there = box_.coordinates(place);
  for (int direction = 0; direction < 3; ++direction) {
    const int length = box_.ranks()[direction];
    there[direction] = ((there[direction] + way * shift[direction]) % length + length) % length;
  }
  return box_.rank_at(there);
}

/// Of up to `reach` in each direction, each process once.
std::vector<AmgNeighbours::Shift> AmgNeighbours::within(int reach) const {
  Shift low, high;
  for (int direction = 0; direction < 3; ++direction) {
    const int length = box_.ranks()[direction];
    low[direction] = -std::min(reach, (length - 1) / 2);
    high[direction] = std::min(reach, length / 2);
  }
  std::vector<Shift> all;
  for (int z = low[2]; z <= high[2]; ++z)
    for (int y = low[1]; y <= high[1]; ++y)
      for (int x = low[0]; x <= high[0]; ++x)
        if (x != 0 || y != 0 || z != 0) all.push_back({x, y, z});
  return all;
}

AmgRoutes::AmgRoutes(const Machine& machine, const AmgPlacement& placement)
    : routes_(machine, {placement.ranks_per_node}, placement.processes),
      processes_(placement.processes) {}

double AmgRoutes::exchange_s(double active, double messages, double bytes) {
  if (!counts()) return 0;
  const AmgNeighbours level(processes_, active);
  const std::vector<AmgNeighbours::Shift> shifts = level.nearest(messages);
  if (shifts.empty()) return 0;
  const auto [found, is_new] =
      of_a_byte_.try_emplace({level.active(), static_cast<int>(shifts.size())});
  if (is_new) {
    routes_.clear();
    for (int place = 0; place < level.active(); ++place)
      for (const AmgNeighbours::Shift& shift : shifts)
        routes_.add(level.rank_of(place), level.rank_of(level.at(place, shift, 1)), 1);
    found->second = routes_.contention();
  }
  const double of_each = bytes / static_cast<double>(shifts.size());
  return of_each * found->second.bandwidth_s + found->second.latency_s;
}

double AmgRoutes::gathering_s(double active) {
  if (!counts()) return 0;
  const AmgNeighbours level(processes_, active);
  const auto [found, is_new] = gatherings_.try_emplace(level.active());
  if (!is_new) return found->second;
  for (int held = 1; held < level.active(); held *= 2) {
    routes_.clear();
    for (int place = 0; place < level.active(); ++place)
      routes_.add(level.rank_of(place), level.rank_of((place + held) % level.active()), 1);
    found->second += routes_.contention().latency_s;
  }
  return found->second;
}

}  // namespace bellwether
