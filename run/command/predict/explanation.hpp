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
/// the number grows by 1 %; the largest first. Where another machine would choose another layout
/// terms count as unchanged. "program": what the rank that computes longest does in a step, of
/// "asked" ranks "of" all, by the app's trace, with "operations", "left_out" and "notes": the
/// first operations in order, and how many more there are.
nlohmann::json explanations(const App& app, const Machine& machine,
                            const PredictionRequest& request);

/// The same for people; `step`: the app's step_name().
std::string explanation_text(const nlohmann::json& explanations, const Machine& machine,
                             const char* step);

}  // namespace bellwether
