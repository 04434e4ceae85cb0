// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/record.hpp"

namespace bellwether {

/// Whether a run took as long as it should.
enum class Answer : unsigned char {
  normal,
  slower,
  faster,
  cannot_tell,
  not_predicted,
  wrong_result,
};

/// "normal", "cannot tell": as it stands in a record.
const char* name_of(Answer answer);

/// The one answer of a record. It is decided here; whatever shows or judges a run reads it.
struct RunVerdict {
  /// Slower or faster where the run is that for its speed while it ran; else as for the machine.
  /// Intervals whose ends are more than a factor of 2 apart tell nothing.
  Answer answer = Answer::not_predicted;
  /// By the interval of the machine's runs; where its drift is not known, by whether the interval
  /// that the machine file implies and the measured one meet.
  Answer for_machine = Answer::not_predicted;
  std::optional<Answer> at_probe;  ///< absent without a probe that the machine file knows
  /// Why it cannot be told for the machine, and what helps; empty where it can.
  std::string because, to_do;
  /// The term that explains most of the difference, in a sentence: where the answer is slower or
  /// faster, and whatever it is where the error is more than 25 %; else empty.
  std::string explanation;
};

RunVerdict verdict_of(const Record& record);

/// A record's "verdict".
nlohmann::json to_json(const RunVerdict& verdict);

/// Adds "verdict" and the terms' errors to a record as it was read, where an earlier version wrote
/// it without them.
void add_verdict(nlohmann::json& record);

}  // namespace bellwether
