// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/acceptance/judge.hpp"
#include "run/command/accept/suite.hpp"

namespace bellwether {

inline constexpr const char* manifest_schema = "bellwether.accept/1";

/// What a folder holds of its acceptance beside its results.
struct Manifest {
  Suite suite;
  nlohmann::json layout;
  std::vector<std::string> left_out;
};

/// Throws BadInput naming file and key.
Manifest read_manifest(const std::string& file);

/// What its suite asks for of its ranks.
Asked asked_of(const Manifest& manifest);

}  // namespace bellwether
