// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "models/machine/strict_json.hpp"

namespace bellwether {

std::vector<KnownPaper> known_papers() {
  return {
      {"shimokawabe", {"tsubame2.0", "cray-xk6m"}, reproduce_shimokawabe},
      {"hu2021", {"mi50-cluster"}, reproduce_hu2021},
      {"gahvari2012", {"grotius"}, reproduce_gahvari2012},
      {"mudalige2011", {"hector", "cx1", "c2070-cluster"}, reproduce_mudalige2011},
      {"orii", {"vpp500", "paragon"}, reproduce_orii},
  };
}

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
