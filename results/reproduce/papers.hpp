// SPDX-License-Identifier: MIT
#pragma once

#include "results/reproduce/paper_machines.hpp"
#include "results/reproduce/reproduction.hpp"

namespace bellwether {

/// Each throws BadInput where a machine lacks what the paper's model needs.
Reproduction reproduce_shimokawabe(const PaperMachines& machines);
Reproduction reproduce_hu2021(const PaperMachines& machines);
Reproduction reproduce_gahvari2012(const PaperMachines& machines);
Reproduction reproduce_mudalige2011(const PaperMachines& machines);
Reproduction reproduce_orii(const PaperMachines& machines);

}  // namespace bellwether
