// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "results/changes/change.hpp"

namespace bellwether {

/// The parameters that two machine files (as JSON) both hold with their intervals, by their path;
/// elements of lists are known by what is no measurement in them (ranks, bytes, kernel). Of links
/// also the times of the messages that both measured. Parameters of a link's segments are passed
/// over: two fits of one link need not have the same.
Changes changes_of_machines(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace bellwether
