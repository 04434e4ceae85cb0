// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// How a case wants to be measured; the run loop keeps to it.
struct Protocol {
  /// The time budget ends a case after so many timed samples, not before.
  int fewest_samples = 7;
  /// After so many no more are taken, however wide their interval is; an exact count of steps goes
  /// before.
  int most_samples = 1000;
  /// Steps that are not timed, first.
  int warm_ups = 1;
  /// A step destroys what it works on, as a factorization does: restart() stands before and
  /// verify() behind each, warm-ups and exact counts too, and a sample is one step.
  bool renew_each_step = false;
  /// Steps that can follow a restart before the state no longer tells right from wrong; the run
  /// loop verifies and restarts before. 0: no bound.
  long longest_run = 0;
};

}  // namespace bellwether
