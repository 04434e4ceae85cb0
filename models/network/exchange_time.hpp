// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/bound.hpp"
#include "models/network/placement.hpp"

namespace bellwether {

/// Share of an exchange of messages of `bytes` over a path in which its rank can compute, so that
/// hidden = min(computation, share x exchange): as measured, between two sizes linear in the
/// logarithm of the size, beyond the first or the last as there; else all of it where a network
/// card or a GPU's copy engines work alone, nothing where the rank's own core copies.
double hideable_share(const Path& path, const DeviceParameters& device, double bytes, Bound bound);

/// Seconds until a message has arrived in both directions between two ranks while the node's other
/// ranks exchange too: ranks_on_node pairs at once on the network, half as many in shared memory.
/// The timing is the link's for that many pairs, or for the nearest fewer; where more than were
/// calibrated are at it, they share its bandwidth, which is noted. Without exchanges measured, two
/// one-way times.
double exchange_time(const Path& path, int ranks_on_node, double bytes, Bound bound,
                     std::vector<std::string>& notes);

/// The same for many messages on one path: what depends on the layout alone is looked up once. The
/// path's link must outlive it. Where a rank exchanges with several neighbours over the path at
/// once, each exchange takes the time that it takes in the measured ring, if there is one: half the
/// ring's for one pair, and as much more than a lone exchange for more pairs.
class ExchangeTimer {
 public:
  ExchangeTimer(const Path& path, int ranks_on_node);

  /// Of one exchange among `neighbours` at once.
  [[nodiscard]] double seconds(double bytes, Bound bound, int neighbours = 1) const;
  /// Adds what of such a message is beyond the calibrated range.
  void note(double bytes, std::vector<std::string>& notes) const;
  [[nodiscard]] const Path& path() const { return path_; }

 private:
  Path path_;
  const LinkTiming* timing_;
  int pairs_;
  int most_pairs_;      ///< calibrated at once
  double times_ = 1;    ///< that the timing counts: 2 where only one way was measured
  double sharing_ = 1;  ///< pairs to a calibrated pair's bandwidth
  bool lone_ = true;    ///< the timing is one pair's
};

}  // namespace bellwether
