// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/step/program.hpp"

namespace bellwether {

/// What a program takes, seconds.
struct StepTimes {
  double total_s = 0;
  double delays_s = 0;    ///< the mean actor's own detours, in no term
  StepTerms mean{};       ///< of the mean actor; with its delays they are the total
  StepTerms lead{};       ///< of each stage's lead
  StepTerms next{};       ///< of the actor that leads the stage after it
  double next_way_s = 0;  ///< from when the lead sends until that one has it
  double moved_s = 0;     ///< the mean actor's copies and messages, hidden ones too
  /// After how much of compute_until_received() an actor saw its message, by stage, or window, and
  /// by how many turns it comes after the lead.
  std::vector<std::vector<float>> seen_after_s;
};

/// Evaluates a program with a clock for each actor. Messages share links only while they are on
/// them, so that who is late in one stage does not slow the next one's way. Of more than about
/// `most_parts` stages x actors so many stages are followed, each standing for those beside it,
/// forward and backward. With `delays` computation takes longer by them.
StepTimes evaluate(const StepProgram& program, DrawnDelays* delays = nullptr,
                   double most_parts = 1 << 16);

}  // namespace bellwether
