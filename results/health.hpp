// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/json_type.hpp"

namespace bellwether {

/// One thing that tells of a node's health, as one of its ranks reads it.
struct HealthReading {
  std::string key;       ///< what limits call it: "gpu_lanes_missing"
  std::string of;        ///< "GPU 0000:17:00.0"; empty: the node
  nlohmann::json value;  ///< a number >= 0, of which less is better, or a list of words
  std::string text;      ///< "8 of 16 PCIe lanes are up"
};

/// By readings' keys: the largest number, or the words, that are as they should be.
struct HealthLimits {
  std::map<std::string, nlohmann::json> warn, fail;
};
/// Refuses unknown keys, and words for numbers.
JsonType<HealthLimits> health_limits_type();

/// Sentences, each of which names the nodes, the value, what was expected and what helps.
struct HealthFindings {
  std::vector<std::string> failures, warnings;
  std::vector<std::string> untold;  ///< which limits nothing was held against, and on which nodes
};

/// Holds each rank's readings against the limits. Of the numbers that ranks of a node read of one
/// thing the worst counts; the same sentence of many nodes is said once. `hosts`: of each rank.
HealthFindings judge_health(const std::vector<std::vector<HealthReading>>& of_ranks,
                            const std::vector<std::string>& hosts, const HealthLimits& limits);

/// What a file of /sys or /proc begins with; absent where it cannot be read.
template <class T>
std::optional<T> first_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  T value{};
  return stream >> value ? std::optional(value) : std::nullopt;
}

}  // namespace bellwether
