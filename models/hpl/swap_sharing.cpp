// SPDX-License-Identifier: MIT
#include "models/hpl/swap_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellwether {
namespace {

/// A column begins or, of those before, begins or ends.
struct Change {
  double when_s;
  ColumnSwaps* begins;  ///< null: one before
  int before;           ///< that are on from now on, more
};

std::vector<Change> changes_of(std::vector<ColumnSwaps>& swaps,
                               const std::vector<ColumnSwaps>& before) {
  std::vector<Change> changes;
  for (ColumnSwaps& one : swaps) changes.push_back({one.begin_s, &one, 0});
  for (const ColumnSwaps& one : before) {
    changes.push_back({one.begin_s, nullptr, 1});
    changes.push_back({one.end_s, nullptr, -1});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.when_s < b.when_s; });
  return changes;
}

/// Columns that swap now, and what of it each has left.
struct UnderWay {
  ColumnSwaps* swaps;
  double left;
};

/// Until a time, beside so many others; who is through by then leaves.
void go_on(std::vector<UnderWay>& all, double before, double now, double until) {
  while (!all.empty() && now < until) {
    const double others = before + static_cast<double>(all.size()) - 1;
    double next = until;
    const auto through = [&](const UnderWay& one) {
      return now + one.left * one.swaps->lasting_s(others);
    };
    for (const UnderWay& one : all) next = std::min(next, through(one));
    std::erase_if(all, [&](UnderWay& one) {
      const bool is_through = through(one) <= next;
      if (is_through)
        one.swaps->end_s = next;
      else
        one.left -= (next - now) / one.swaps->lasting_s(others);
      return is_through;
    });
    now = next;
  }
}

}  // namespace

double ColumnSwaps::lasting_s(double others) const {
  if (others <= 0 || link_s <= 0 || link_s_of_another <= 0) return alone_s;
  const double beside = std::max(0., alone_s - link_s);
  const double full = link_s + others * link_s_of_another - beside;
  return beside + (full + std::sqrt(full * full + 4 * link_s * beside)) / 2;
}

void SwapSharing::share(std::vector<ColumnSwaps>& swaps) const {
  bool shares = false;
  for (ColumnSwaps& one : swaps) {
    one.end_s = one.begin_s + one.alone_s;
    shares = shares || one.link_s_of_another > 0;
  }
  if (!shares) return;
  const std::vector<Change> changes = changes_of(swaps, before_);
  std::vector<UnderWay> all;
  double before = 0;
  for (std::size_t place = 0; place < changes.size(); ++place) {
    const Change& change = changes[place];
    before += change.before;
    if (change.begins != nullptr) all.push_back({change.begins, 1});
    const bool is_last = place + 1 == changes.size();
    go_on(all, before, change.when_s,
          is_last ? std::numeric_limits<double>::infinity() : changes[place + 1].when_s);
  }
}

void SwapSharing::keep(const std::vector<ColumnSwaps>& swaps) {
  double first = std::numeric_limits<double>::infinity();
  for (const ColumnSwaps& one : swaps) first = std::min(first, one.begin_s);
  std::erase_if(before_, [first](const ColumnSwaps& one) { return one.end_s <= first; });
  before_.insert(before_.end(), swaps.begin(), swaps.end());
}

}  // namespace bellwether
