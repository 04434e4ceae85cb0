// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"
#include "results/reproduce/published.hpp"

namespace bellwether {

Reproduction reproduce_gahvari2012() {
  const nlohmann::json& paper = published("gahvari2012");
  return {.paper = paper.at("paper"), .title = paper.at("title"), .statements = {}, .numbers = {}};
}

}  // namespace bellwether
