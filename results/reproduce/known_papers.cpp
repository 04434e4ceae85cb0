// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"

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

}  // namespace bellwether
