// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {

nlohmann::json value_or_null(const nlohmann::json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : nlohmann::json();
}

int count_finished(const std::string& path, const nlohmann::json& request) {
  if (!std::filesystem::exists(path)) return 0;
  std::ifstream file(path);
  if (!file) throw BadInput(fmt::format("results file '{}' cannot be read", path));
  int finished = 0;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (value_or_null(value_or_null(record, "provenance"), "request") == request &&
        value_or_null(value_or_null(record, "verification"), "passed") == true)
      ++finished;
  }
  return finished;
}

}  // namespace bellwether
