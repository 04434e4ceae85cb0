// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {

Reproduction reproduce_shimokawabe() {
  const nlohmann::json& paper = published("shimokawabe");
  return {.paper = paper.at("paper"), .title = paper.at("title"), .statements = {}, .numbers = {}};
}

}  // namespace bellwether
