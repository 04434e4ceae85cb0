// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "miniapps/driver/app.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Why the refined form predicts what it does at the request's one rank count, for each of its
/// overlap modes: {"ranks", "overlap", "layout", "total_s", "terms", "numbers", "program"}.
/// "numbers": of the machine file, each that moves the total by a thousandth of its own change:
/// "key", "value", "source", "total" and "terms": % by which the total, or that term, grows when
/// the number grows by 1 %; the largest first. "program": what the rank with most computation does
/// in a step, {"rank", "operations", "left_out"}: the first of them in order.
nlohmann::json explanations(const App& app, const Machine& machine,
                            const PredictionRequest& request);

/// The same for people.
std::string explanation_text(const nlohmann::json& explanations, const Machine& machine);

}  // namespace bellwether
