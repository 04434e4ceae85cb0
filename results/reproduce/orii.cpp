// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {

Reproduction reproduce_orii() {
  const nlohmann::json& paper = published("orii");
  return {.paper = paper.at("paper"), .title = paper.at("title"), .statements = {}, .numbers = {}};
}

}  // namespace bellwether
