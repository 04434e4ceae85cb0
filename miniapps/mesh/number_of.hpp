// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bellwether {

/// Whether so many global indices from `low` to `high` are close enough together for a table.
inline bool is_dense(std::int64_t low, std::int64_t high, std::size_t count) {
  return high - low < 4 * static_cast<std::int64_t>(count);
}

/// Sorts items by their global index and keeps the first of each: through a table where the indices
/// are close together, as they are on few ranks.
template <class Item, class Index = std::identity>
void sort_once(std::vector<Item>& items, const Index& index = {}) {
  const auto before = [&](const Item& a, const Item& b) { return index(a) < index(b); };
  const auto out_of_order = [&](const Item& a, const Item& b) { return index(a) >= index(b); };
  if (std::adjacent_find(items.begin(), items.end(), out_of_order) == items.end()) return;
  const auto [least, most] = std::minmax_element(items.begin(), items.end(), before);
  const std::int64_t low = index(*least), high = index(*most);
  if (is_dense(low, high, items.size())) {
    std::vector<std::int64_t> first(high - low + 1, -1);
    for (std::size_t at = items.size(); at-- > 0;)
      first[index(items[at]) - low] = static_cast<std::int64_t>(at);
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (const std::int64_t at : first)
      if (at >= 0) sorted.push_back(items[at]);
    items = std::move(sorted);
    return;
  }
  std::stable_sort(items.begin(), items.end(), before);
  const auto same = [&](const Item& a, const Item& b) { return index(a) == index(b); };
  items.erase(std::unique(items.begin(), items.end(), same), items.end());
}

/// Where an element stands in a list, by its global index: a table where the list's indices are
/// close together, as they are on few ranks, a hash elsewhere.
class NumberOf {
 public:
  explicit NumberOf(const std::vector<std::int64_t>& elements) {
    if (elements.empty()) return;
    const auto [low, high] = std::minmax_element(elements.begin(), elements.end());
    low_ = *low;
    const bool dense = is_dense(low_, *high, elements.size());
    if (dense)
      table_.assign(*high - low_ + 1, absent);
    else
      hash_.reserve(elements.size());
    for (std::size_t at = 0; at < elements.size(); ++at) {
      if (dense)
        table_[elements[at] - low_] = static_cast<int>(at);
      else
        hash_.emplace(elements[at], static_cast<int>(at));
    }
  }

  static constexpr int absent = -1;
  [[nodiscard]] int operator()(std::int64_t element) const {
    if (table_.empty()) {
      const auto found = hash_.find(element);
      return found == hash_.end() ? absent : found->second;
    }
    const std::int64_t at = element - low_;
    return at < 0 || at >= static_cast<std::int64_t>(table_.size()) ? absent : table_[at];
  }

 private:
  std::int64_t low_ = 0;
  std::vector<int> table_;
  std::unordered_map<std::int64_t, int> hash_;
};

}  // namespace bellwether
