// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {

Reproduction reproduce_mudalige2011() {
  const nlohmann::json& paper = published("mudalige2011");
  return {.paper = paper.at("paper"), .title = paper.at("title"), .statements = {}, .numbers = {}};
}

}  // namespace bellwether
