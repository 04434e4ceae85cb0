// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {

int count_finished(const std::string& path, const nlohmann::json& request) {
  if (!std::filesystem::exists(path)) return 0;
  std::ifstream file(path);
  if (!file) throw BadInput(fmt::format("results file '{}' cannot be read", path));
  int finished = 0;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object()) continue;
    const nlohmann::json provenance = record.value("provenance", nlohmann::json::object());
    const nlohmann::json verification = record.value("verification", nlohmann::json::object());
    if (provenance.value("request", nlohmann::json()) == request &&
        verification.value("passed", false))
      ++finished;
  }
  return finished;
}

}  // namespace bellwether
