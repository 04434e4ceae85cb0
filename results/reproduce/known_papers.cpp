// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"

namespace bellwether {

std::vector<KnownPaper> known_papers() {
  return {
      {"shimokawabe", reproduce_shimokawabe},
      {"hu2021", reproduce_hu2021},
      {"gahvari2012", reproduce_gahvari2012},
      {"mudalige2011", reproduce_mudalige2011},
      {"orii", reproduce_orii},
  };
}

}  // namespace bellwether
