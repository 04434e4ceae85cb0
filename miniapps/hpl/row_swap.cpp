// SPDX-License-Identifier: MIT
#include "miniapps/hpl/row_swap.hpp"

#include <map>
#include <utility>

namespace bellwether {

Interchanges interchanges_of(const PanelPivot* pivots, int width) {
  Interchanges all;
  for (int t = 0; t < width; ++t) all.top.push_back({-1, t});
  std::map<std::pair<int, int>, std::size_t>
      displaced;  // by process and row: which of all.displaced
  for (int t = 0; t < width; ++t) {
    const auto [process, row] = pivots[t];
    Interchanges::Row& here = all.top[static_cast<std::size_t>(t)];
    if (row < width) {
      std::swap(here, all.top[static_cast<std::size_t>(row)]);
      continue;
    }
    // Place t has not been a pivot's yet, so one of the top rows stands there.
    const auto [known, is_new] = displaced.try_emplace({process, row}, all.displaced.size());
    if (is_new) {
      all.displaced.push_back({{process, row}, here.row});
      here = {process, row};
    } else {
      Interchanges::Displaced& there = all.displaced[known->second];
      here = {-1, std::exchange(there.top, here.row)};
    }
  }
  return all;
}

}  // namespace bellwether
