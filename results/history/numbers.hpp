// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"

namespace bellwether {

/// Comma-separated values (RFC 4180), a row for each record: what tells runs apart, then all that
/// any of the records says, by its JSON pointer ("/measured/total_s/median").
std::string csv_of(const std::vector<Record>& records);

/// OpenMetrics 1.0 text: each number of the records, and what is true or false as 1 or 0, as a
/// gauge of its unit ("bellwether_seconds") with labels host, layout, app, case and number (its
/// JSON pointer), at the record's time; and its verdict by `answer`. Runs of a case that have one
/// time are told by `repeat`. Throws BadInput for a record without a time.
std::string open_metrics_of(const std::vector<Record>& records);

}  // namespace bellwether
