// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "results/acceptance/judge.hpp"
#include "results/acceptance/occasions.hpp"

/// What tests judge: occasions and records as accept writes them, as far as they are judged.
namespace bellwether {

inline const Material example_material{0.05, 0.15, "a test"};

/// An occasion: ranks' seconds, each on a node of its own or all on one.
inline SiblingOccasion occasion(const std::vector<double>& memory, bool own_nodes,
                                double at_s = 0) {
  SiblingOccasion one;
  one.seconds["memory bandwidth"] = memory;
  for (std::size_t rank = 0; rank < memory.size(); ++rank) {
    one.nodes.push_back(own_nodes ? static_cast<int>(rank) : 0);
    one.hosts.push_back(own_nodes ? "node" + std::to_string(rank) : "here");
    one.clocks.steady_s.push_back(at_s);
    one.clocks.system_s.push_back(1e9 + at_s);
  }
  one.clocks.barrier_s = 1e-3;
  return one;
}

inline std::vector<SiblingOccasion> occasions(std::vector<double> seconds, bool own_nodes,
                                              int count = 16) {
  std::mt19937_64 engine(9);
  std::normal_distribution<double> normal;
  std::vector<SiblingOccasion> all;
  for (int at = 0; at < count; ++at) {
    std::vector<double> now = seconds;
    for (double& value : now) value *= std::exp(0.01 * normal(engine));
    all.push_back(occasion(now, own_nodes, 10 * at));
  }
  return all;
}

/// A record as one line of results.jsonl, as far as it is judged.
inline Record record(double measured_s, double predicted_s, const char* app = "lbm",
                     bool passed = true) {
  const auto summary = [](double value) {
    return nlohmann::json{
        {"median", value}, {"low", 0.99 * value}, {"high", 1.01 * value}, {"count", 7}};
  };
  return parse_record(
      {{"schema", "bellwether.record/1"},
       {"app", app},
       {"ranks", 2},
       {"problem", {{"cells", {8, 8, 8}}}},
       {"variant", {{"overlap", "off"}}},
       {"measured",
        {{"total_s", summary(measured_s)},
         {"terms",
          {{"compute.interior", summary(0.2 * measured_s)},
           {"network", summary(0.8 * measured_s)}}}}},
       {"predicted",
        {{"refined",
          {{"total_s", predicted_s},
           {"low_s", 0.98 * predicted_s},
           {"high_s", 1.02 * predicted_s},
           {"terms", {{"compute.interior", 0.2 * predicted_s}, {"network", 0.8 * predicted_s}}},
           {"outside_range", nlohmann::json::array()}}}}},
       {"error", {{"refined", predicted_s / measured_s - 1}}},
       {"verification",
        {{"passed", passed},
         {"what", "mode decay"},
         {"value", passed ? 1e-8 : 1.0},
         {"tolerance", 1e-6}}}},
      "a test");
}

}  // namespace bellwether
