// SPDX-License-Identifier: MIT
#include "results/reproduce/published.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "models/machine/strict_json.hpp"
#include "results/reproduce/published_files.hpp"

namespace bellwether {

const nlohmann::json& published(const std::string& paper) {
  static const auto documents = [] {
    std::map<std::string, nlohmann::json> all;
    for (const EmbeddedFile& file : published_files()) {
      const std::string name = file.name;
      all[name.substr(0, name.rfind('.'))] = parse_json(file.text, name);
    }
    return all;
  }();
  return documents.at(paper);
}

}  // namespace bellwether
