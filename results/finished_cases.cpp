// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

/// The object's member, or null where there is neither.
nlohmann::json at(const nlohmann::json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : nlohmann::json();
}

}  // namespace

int count_finished(const std::string& path, const nlohmann::json& request) {
  if (!std::filesystem::exists(path)) return 0;
  std::ifstream file(path);
  if (!file) throw BadInput(fmt::format("results file '{}' cannot be read", path));
  int finished = 0;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (at(at(record, "provenance"), "request") == request &&
        at(at(record, "verification"), "passed") == true)
      ++finished;
  }
  return finished;
}

}  // namespace bellwether
