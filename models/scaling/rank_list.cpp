// SPDX-License-Identifier: MIT
#include "models/scaling/rank_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/errors.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

constexpr long most_counts = 16'384;
constexpr int most_ranks = 20'000'000;  // twice the cores of the largest machine there is

/// Rank counts as they were given, or nodes.
struct Given {
  const char* what;
  const std::string& text;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw BadInput(fmt::format("{}: found \"{}\", expected {}", what, text, expected));
  }
};

/// Positive counts of FIRST, FIRST:LAST or FIRST:LAST:STEP.
std::vector<long> parse_range(const std::string& item, const Given& given) {
  std::vector<long> range;
  for (const std::string& word : split(item, ':')) {
    const int count = parse_number<int>(word).value_or(0);
    if (count < 1 || count > most_ranks)
      given.refuse(fmt::format(
          "positive whole numbers of at most {}, as in 1:65536, 1:64:4 or 1,2,12", most_ranks));
    range.push_back(count);
    if (range.size() > 3) given.refuse("FIRST:LAST or FIRST:LAST:STEP");
  }
  if (range.size() > 1 && range[1] < range[0]) given.refuse("a last count not below the first");
  return range;
}

void add_range(const std::vector<long>& range, std::vector<int>& counts) {
  const auto add = [&counts](long count) { counts.push_back(static_cast<int>(count)); };
  const long first = range.front();
  const long last = range.size() > 1 ? range[1] : first;
  if (range.size() == 3) {
    for (long count = first; count <= last; count += range[2]) add(count);
    return;
  }
  add(first);
  for (long power = 1; power < last; power *= 2)
    if (power > first) add(power);
  if (last > first) add(last);
}

void sort_once(std::vector<int>& counts) {
  if (!std::is_sorted(counts.begin(), counts.end())) std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
}

RankSweep parse_sweep(const Given& given) {
  RankSweep sweep;
  for (const std::string& item : split(given.text, ',')) {
    const std::vector<long> range = parse_range(item, given);
    const bool stepped = range.size() == 3;
    const long added = stepped ? (range[1] - range[0]) / range[2] + 1 : 1;
    if (std::ssize(sweep.counts) + added > most_counts)
      given.refuse(fmt::format("at most {} counts", most_counts));
    add_range(range, sweep.counts);
    sweep.named.push_back(static_cast<int>(range.front()));
    if (range.size() == 2 || (stepped && (range[1] - range[0]) % range[2] == 0))
      sweep.named.push_back(static_cast<int>(range[1]));
  }
  sort_once(sweep.counts);
  sort_once(sweep.named);
  return sweep;
}

}  // namespace

RankSweep parse_rank_sweep(const std::string& text) { return parse_sweep({"ranks", text}); }

RankSweep parse_node_sweep(const std::string& text, int ranks_per_node) {
  const Given given{"nodes", text};
  RankSweep sweep = parse_sweep(given);
  const int most_nodes = most_ranks / std::max(1, ranks_per_node);
  if (sweep.counts.back() > most_nodes)
    given.refuse(fmt::format("at most {} nodes of {} ranks", most_nodes, ranks_per_node));
  for (std::vector<int>* counts : {&sweep.counts, &sweep.named})
    for (int& count : *counts) count *= ranks_per_node;
  return sweep;
}

}  // namespace bellwether
