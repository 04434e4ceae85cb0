// SPDX-License-Identifier: MIT
#include "miniapps/hpl/moved_rows.hpp"

#include <algorithm>
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

MovedRows::MovedRows(const HplGrid& grid, const LocalMatrix& matrix)
    : grid_(grid), matrix_(matrix) {
  // At most: own rows, places, displaced rows here and there.
  const auto most = 4 * static_cast<std::size_t>(matrix.block());
  lists_ = Buffer<int>(matrix.device(), most);
  entries_.reserve(most);
  for (Upload& upload : uploads_)
    upload = {Buffer<int>(matrix.device(), most, true), matrix.device().make_event(false)};
}

void MovedRows::list(long panel, int width, const PanelPivot* pivots, Stream& stream) {
  owner = static_cast<int>(panel % grid_.rows());
  top = matrix_.rows_before(panel);
  listed_ = lists_.data();
  const Interchanges all = interchanges_of(pivots, width);
  const long below = matrix_.rows_before(panel + 1) - width;
  const int me = grid_.row();
  // A row in a process' panel as one of its part of the matrix.
  const auto local = [&](int row) { return static_cast<int>(below + row); };
  const auto owner_of = [&](const Interchanges::Row& row) {
    return row.process < 0 ? owner : row.process;
  };
  entries_.clear();
  const auto listed = [this](auto&& fill) {
    List one{static_cast<long>(entries_.size()), 0};
    fill();
    one.count = static_cast<long>(entries_.size()) - one.first;
    return one;
  };
  own = listed([&] {
    for (const Interchanges::Row& row : all.top)
      if (owner_of(row) == me)
        entries_.push_back(row.process < 0 ? static_cast<int>(top) + row.row : local(row.row));
  });
  places.clear();
  displaced_from.clear();
  for (int p = 0; p < grid_.rows(); ++p) {
    places.push_back(listed([&] {
      for (int t = 0; t < width; ++t)
        if (owner_of(all.top[static_cast<std::size_t>(t)]) == p) entries_.push_back(t);
    }));
    displaced_from.push_back(listed([&] {
      for (const Interchanges::Displaced& one : all.displaced)
        if (one.to.process == p) entries_.push_back(static_cast<int>(top) + one.top);
    }));
  }
  displaced_to = listed([&] {
    for (const Interchanges::Displaced& one : all.displaced)
      if (one.to.process == me) entries_.push_back(local(one.to.row));
  });
  Device& device = matrix_.device();
  Upload& upload = uploads_[turn_++ % uploads_.size()];
  device.fence(*upload.done);
  std::copy(entries_.begin(), entries_.end(), upload.entries.data());
  device.copy(lists_.data(), upload.entries.data(), entries_.size() * sizeof(int), stream);
  device.record(*upload.done, stream);
}

void MovedRows::take_listed(long panel, int width, const int* lists) {
  owner = 0;
  top = matrix_.rows_before(panel);
  listed_ = lists;
  own = {0, width};
  displaced_to = {width, width};
  displaced_from = {{2L * width, width}};
}

}  // namespace bellwether
