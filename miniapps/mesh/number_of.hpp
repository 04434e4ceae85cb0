// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace bellwether {

/// Where an element stands in a list, by its global index: a table where the list's indices are
/// close together, as they are on few ranks, a hash elsewhere.
class NumberOf {
 public:
  explicit NumberOf(const std::vector<std::int64_t>& elements) {
    if (elements.empty()) return;
    const auto [low, high] = std::minmax_element(elements.begin(), elements.end());
    low_ = *low;
    const bool dense = *high - low_ < 4 * static_cast<std::int64_t>(elements.size());
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
