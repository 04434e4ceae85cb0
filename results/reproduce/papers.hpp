// SPDX-License-Identifier: MIT
#pragma once

#include "results/reproduce/reproduction.hpp"

namespace bellwether {

Reproduction reproduce_shimokawabe();
Reproduction reproduce_hu2021();
Reproduction reproduce_gahvari2012();
Reproduction reproduce_mudalige2011();
Reproduction reproduce_orii();

}  // namespace bellwether
