// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "results/acceptance/judge.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Of each rank the share of its time that it waited for its core; empty where that is not told.
std::vector<double> waiting_of(const Record& record) {
  const json shares = value_or_null(record.provenance, "waited_for_core");
  return shares.is_null() ? std::vector<double>() : shares.get<std::vector<double>>();
}

std::string rank_name(const Record& record, std::size_t rank) {
  return rank < record.per_rank.size()
             ? fmt::format("rank {} ({})", rank, record.per_rank[rank].host)
             : fmt::format("rank {}", rank);
}

}  // namespace

std::optional<std::pair<std::size_t, double>> longest_waiting(const Record& record) {
  const std::vector<double> shares = waiting_of(record);
  if (shares.empty()) return {};
  const auto most = std::max_element(shares.begin(), shares.end());
  return std::pair{static_cast<std::size_t>(most - shares.begin()), *most};
}

std::string takers_of_core(const Record& record) {
  return record.throttled ? "its control group's CPU quota, or other programs," : "other programs";
}

std::vector<Finding> judge_waiting(const std::vector<Record>& records, const Material& material) {
  std::vector<std::vector<double>> of_rank;
  const Record* one = nullptr;
  for (const Record& record : records) {
    const std::vector<double> shares = waiting_of(record);
    if (shares.empty()) continue;
    if (one == nullptr || record.throttled) one = &record;
    of_rank.resize(std::max(of_rank.size(), shares.size()));
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      of_rank[rank].push_back(std::clamp(shares[rank], 0.0, 0.999));
  }
  if (one == nullptr) return {};
  const auto mean = [&](std::size_t rank) {
    double sum = 0;
    for (const double share : of_rank[rank]) sum += share;
    return sum / static_cast<double>(of_rank[rank].size());
  };
  std::size_t most = 0;
  for (std::size_t rank = 1; rank < of_rank.size(); ++rank)
    if (mean(rank) > mean(most)) most = rank;
  const auto [low, high] = std::minmax_element(of_rank[most].begin(), of_rank[most].end());
  Finding finding{.kind = "siblings", .subject = rank_name(*one, most), .quantity = "core"};
  finding.value = 1 / (1 - mean(most));
  finding.low = 1 / (1 - *low);
  finding.high = 1 / (1 - *high);
  finding.expect_one(material, "of the time that an undisturbed core takes");
  finding.sources = {"counted by the system's scheduler (/proc/thread-self/schedstat)",
                     material.text()};
  finding.judge();
  finding.sentence =
      fmt::format("{}: {} took {:.2f} of its core while cases ran ({:.2f} to {:.2f}){}",
                  finding.subject, takers_of_core(*one), mean(most), *low, *high,
                  finding.verdict == Verdict::pass ? ", no other rank lost more" : "");
  return {finding};
}

}  // namespace bellwether
