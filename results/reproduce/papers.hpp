// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "models/embedded_file.hpp"
#include "results/reproduce/paper_machines.hpp"
#include "results/reproduce/reproduction.hpp"

namespace bellwether {

/// Each throws BadInput where a machine lacks what the paper's model needs.
Reproduction reproduce_shimokawabe(const PaperMachines& machines);
Reproduction reproduce_hu2021(const PaperMachines& machines);
Reproduction reproduce_gahvari2012(const PaperMachines& machines);
Reproduction reproduce_mudalige2011(const PaperMachines& machines);
Reproduction reproduce_orii(const PaperMachines& machines);

/// The document results/published/`paper`.json: what a paper ran and what it published, as data.
/// Part of the program. The keys are the paper's own quantities with their units; "comment" keys
/// say where a number stands and what is wrong with it. Throws std::out_of_range for an unknown
/// paper.
const nlohmann::json& published(const std::string& paper);

/// The files of results/published.
std::span<const EmbeddedFile> published_files();

}  // namespace bellwether
