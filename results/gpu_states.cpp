// SPDX-License-Identifier: MIT
#include "results/gpu_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace bellwether {
namespace {

using nlohmann::json;

struct GpuQuantity {
  const char* key;
  const char* shown;  ///< a format of the value; of a boolean, what it is called
};
constexpr GpuQuantity gpu_quantities[] = {{"name", "{}"},
                                          {"driver", "driver {}"},
                                          {"sm_clock_max_mhz", "clock up to {} MHz"},
                                          {"memory_clock_max_mhz", "memory clock up to {} MHz"},
                                          {"power_limit_w", "power limit {} W"},
                                          {"ecc", "ECC"},
                                          {"mig", "MIG"}};

std::string shown(const GpuQuantity& quantity, const json& value) {
  if (value.is_boolean())
    return fmt::format("{} {}", quantity.shown, value.get<bool>() ? "on" : "off");
  const std::string text =
      value.is_number() ? fmt::format("{:g}", value.get<double>()) : value.get<std::string>();
  return fmt::format(fmt::runtime(quantity.shown), text);
}

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t most = 4;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  return ranks.size() > most ? fmt::format("{} and {} more", text, ranks.size() - most) : text;
}

/// The GPUs' temperatures, if they tell them.
std::string temperatures(const std::vector<json>& states) {
  std::optional<double> coldest, hottest;
  for (const json& state : states) {
    if (!state.is_object() || !state.at("temperature_c").is_number()) continue;
    const double now = state.at("temperature_c");
    coldest = std::min(coldest.value_or(now), now);
    hottest = std::max(hottest.value_or(now), now);
  }
  if (!coldest) return {};
  return *coldest == *hottest ? fmt::format("{:g} °C", *coldest)
                              : fmt::format("{:g} to {:g} °C", *coldest, *hottest);
}

}  // namespace

std::vector<std::string> gpu_remarks(const std::vector<json>& states) {
  std::string alike;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) alike.append(alike.empty() ? "" : ", ").append(text);
  };
  std::vector<std::string> remarks;
  for (const GpuQuantity& quantity : gpu_quantities) {
    std::map<std::string, std::vector<std::size_t>> ranks_of;
    for (std::size_t rank = 0; rank < states.size(); ++rank)
      if (states[rank].is_object() && !states[rank].at(quantity.key).is_null())
        ranks_of[shown(quantity, states[rank].at(quantity.key))].push_back(rank);
    if (ranks_of.size() == 1) add(ranks_of.begin()->first);
    if (ranks_of.size() < 2) continue;
    const auto usual = std::max_element(
        ranks_of.begin(), ranks_of.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::string others;
    for (const auto& one : ranks_of)
      if (one.first != usual->first)
        others +=
            fmt::format("{}{}: {}", others.empty() ? "" : "; ", ranks_text(one.second), one.first);
    remarks.push_back(fmt::format("GPUs differ: {}; the others: {}", others, usual->first));
  }
  add(temperatures(states));
  if (!alike.empty()) remarks.insert(remarks.begin(), "GPUs: " + alike);
  return remarks;
}

}  // namespace bellwether
