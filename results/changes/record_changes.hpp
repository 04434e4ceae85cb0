// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/changes/change.hpp"

namespace bellwether {

/// The records of a results file, schema bellwether.record/1, in its order. A last line that a
/// killed writer left without its end is passed over. Throws BadInput naming file and line for any
/// other that is no record, and for a file without one.
std::vector<nlohmann::json> read_records(const std::string& file);

/// Each record's case in few words: app, problem, ranks, and of the rest what differs between these
/// records of its app: "diffusion 96x96x96 f64, 2 ranks, overlap on".
std::vector<std::string> case_names(const std::vector<nlohmann::json>& records);

/// The measured totals of the cases that both have: same app, ranks, problem and variant. Several
/// records of a case are its repeats: the median of their medians, from the lowest end of an
/// interval to the highest. `because` is the term that changed most in seconds, and what the probes
/// say of the machine. A case with a wrong result is `wrong`.
Changes changes_of_records(const std::vector<nlohmann::json>& before,
                           const std::vector<nlohmann::json>& after);

/// Whether a record, as it was read, passed its verification.
bool is_verified(const nlohmann::json& record);

}  // namespace bellwether
