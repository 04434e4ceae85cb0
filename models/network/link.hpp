// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/network/paths.hpp"

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

/// Bytes of the largest message that leaves its sender before its receiver asks for it; larger ones
/// travel once both are there. 8 KiB where the machine file does not say, as MPIs have it to some
/// KiB.
double eager_limit_bytes(const Link& link);

/// Whether a message is larger than any the link was calibrated with; published links have no
/// range.
bool beyond_samples(const LinkTiming& timing, double bytes);
/// Notes that such a message, over what `name` says, is.
void note_beyond_samples(const std::string& name, const LinkTiming& timing, double bytes,
                         std::vector<std::string>& notes);

/// Seconds until a message has arrived in both directions between two ranks while the node's other
/// ranks exchange too: ranks_on_node pairs at once on the network, half as many in shared memory.
/// The timing is the link's for that many pairs, or for the nearest fewer; where more than were
/// calibrated are at it, they share its bandwidth, which is noted. Without exchanges measured, two
/// one-way times. What depends on the layout alone is looked up once; the path's link must outlive
/// the timer. k exchanges of a rank with its neighbours at once take what one takes and k - 1 gaps
/// (README.md). Beyond the sizes of the measured gap it grows as the exchange does, in proportion.
/// Where no gap was measured it is 2 o and the bytes' part of an exchange; where o is not known
/// either, an exchange. Of more than one pair at once each takes as much longer for several
/// neighbours as a lone one does.
class ExchangeTimer {
 public:
  ExchangeTimer(const Path& path, int ranks_on_node);

  /// Of one exchange among `neighbours` at once: their time, divided by their number.
  [[nodiscard]] double seconds(double bytes, Bound bound, int neighbours = 1) const;
  /// What exchanges with all neighbours at once take beyond that where each rank has gone through
  /// `swept_bytes` of memory since those before: what one of all their bytes does, since MPI's code
  /// and queues are fetched again once for all. A rank's own time, which hides behind nothing.
  /// Linear in the logarithms of both between what was measured, in the swept bytes below the
  /// first; beyond the last as there; 0 where it was not measured.
  [[nodiscard]] double after_sweep(double swept_bytes, double all_bytes, Bound bound) const;
  /// Adds what of such a message is beyond the calibrated range.
  void note(double bytes, std::vector<std::string>& notes) const;
  [[nodiscard]] const Path& path() const { return path_; }

 private:
  /// Of one exchange of one pair, no other pair at it.
  [[nodiscard]] double of_lone_pair(double bytes, Bound bound) const;
  /// What each further exchange of a lone pair adds, if it is known.
  [[nodiscard]] std::optional<double> gap(double bytes, Bound bound) const;

  Path path_;
  const LinkTiming* timing_;
  int pairs_;
  int most_pairs_;      ///< calibrated at once
  double times_ = 1;    ///< that the timing counts: 2 where only one way was measured
  double sharing_ = 1;  ///< pairs to a calibrated pair's bandwidth
  bool lone_ = true;    ///< the timing is one pair's
};

}  // namespace bellwether
