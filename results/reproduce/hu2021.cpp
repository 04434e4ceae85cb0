// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {

Reproduction reproduce_hu2021() {
  const nlohmann::json& paper = published("hu2021");
  return {.paper = paper.at("paper"), .title = paper.at("title"), .statements = {}, .numbers = {}};
}

}  // namespace bellwether
