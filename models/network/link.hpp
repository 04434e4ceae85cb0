// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/bound.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Seconds of a message of `bytes`: t(s) = t0 + s / B0 (Shimokawabe, Eq. 5).
double link_time_paper(const LinkTiming& timing, double bytes, Bound bound = Bound::value);

/// Bytes of a message that pass ahead of the bandwidth: none in the paper form.
inline double burst_of(const LinkTiming&, Bound) { return 0; }
inline double burst_of(const LinkSegment& segment, Bound bound) {
  return rate_at(segment.burst_bytes, bound);
}

/// The same in the refined form: t0, B0 and burst of the segment that the size falls in; below the
/// first segment its parameters hold. Without segments the paper form. `sharing` messages at once
/// share the bandwidth and the burst, not the latency. At a bound all of the segment's parameters
/// stand at theirs.
double link_time(const LinkTiming& timing, double bytes, Bound bound = Bound::value,
                 double sharing = 1);

/// Whether a message is larger than any the link was calibrated with; published links have no
/// range.
bool beyond_samples(const LinkTiming& timing, double bytes);
/// Notes that such a message, over what `name` says, is.
void note_beyond_samples(const std::string& name, const LinkTiming& timing, double bytes,
                         std::vector<std::string>& notes);

}  // namespace bellwether
