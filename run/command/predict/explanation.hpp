// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "miniapps/driver/app.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Why the refined form predicts what it does at one rank count, by overlap mode: the machine
/// file's numbers by what 1 % of each moves, and the longest-computing rank's first operations.
nlohmann::json explanations(const App& app, const Machine& machine,
                            const PredictionRequest& request);

/// The same for people; `step`: the app's step_name().
std::string explanation_text(const nlohmann::json& explanations, const Machine& machine,
                             const char* step);

}  // namespace bellwether
