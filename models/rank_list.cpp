// SPDX-License-Identifier: MIT
#include "models/rank_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr std::size_t most_counts = 1'000'000;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != text.npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw BadInput(fmt::format("ranks: found \"{}\", expected {}", text, expected));
}

void add_range(const std::vector<long>& range, std::set<int>& counts, std::set<int>& named) {
  const long first = range.front();
  const long last = range.size() > 1 ? range[1] : first;
  named.insert(static_cast<int>(first));
  if (range.size() < 3 || (last - first) % range[2] == 0) named.insert(static_cast<int>(last));
  const auto add = [&counts](long count) {
    if (counts.size() <= most_counts) counts.insert(static_cast<int>(count));
  };
  if (range.size() == 3) {
    for (long count = first; count <= last && counts.size() <= most_counts; count += range[2])
      add(count);
    return;
  }
  add(first);
  for (long power = 1; power < last; power *= 2)
    if (power > first) add(power);
  add(last);
}

}  // namespace

RankSweep parse_rank_sweep(const std::string& text) {
  std::set<int> counts;
  std::set<int> named;
  for (const std::string_view item : split(text, ',')) {
    std::vector<long> range;
    for (const std::string_view word : split(item, ':')) {
      int count = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (error != std::errc() || end != word.data() + word.size() || count < 1)
        refuse(text, "positive whole numbers, as in 1:65536, 1:64:4 or 1,2,12");
      range.push_back(count);
    }
    if (range.size() > 3) refuse(text, "FIRST:LAST or FIRST:LAST:STEP");
    if (range.size() > 1 && range[1] < range[0]) refuse(text, "a last count not below the first");
    add_range(range, counts, named);
  }
  if (counts.size() > most_counts) refuse(text, fmt::format("at most {} counts", most_counts));
  return {{counts.begin(), counts.end()}, {named.begin(), named.end()}};
}

std::vector<int> parse_rank_list(const std::string& text) { return parse_rank_sweep(text).counts; }

}  // namespace bellwether
