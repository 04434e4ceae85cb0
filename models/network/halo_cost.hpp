// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/network/link.hpp"
#include "models/network/paths.hpp"

namespace bellwether {

/// Messages of one size that a rank exchanges with as many neighbours.
struct HaloMessages {
  Across across = Across::other_node;
  double count = 0;  ///< a mean may be no whole number
  double bytes = 0;  ///< of each
};

/// A rank's exchange of its halo.
struct HaloExchange {
  std::vector<HaloMessages> messages = {};
  double pack_s = 0;        ///< seconds of packing all messages
  double swept_bytes = 0;   ///< bytes of memory that the rank goes through between two exchanges
  double contention_s = 0;  ///< seconds that the topology adds to messages between nodes
  bool staged = false;      ///< messages are copied to buffers in host memory and from there
  bool overlap = false;     ///< the interior is computed meanwhile
  bool announced = false;   ///< empty messages go ahead of them
};

/// Seconds of an exchange, without packing.
struct HaloTimes {
  double to_host = 0, to_device = 0;  ///< copies before and after the messages
  bool copies_beside = false;         ///< with overlap, by a GPU's engines: part of `network`
  double wait = 0;      ///< for announcements by an MPI that is no longer in the caches
  double network = 0;   ///< messages
  double hideable = 0;  ///< of `network`, while the rank can compute
  /// Of `network`, what is hidden behind so many seconds of computation.
  [[nodiscard]] double hidden(double interior_s) const { return std::min(interior_s, hideable); }
};

/// What halo exchanges cost the ranks of a node that are all at theirs.
/// - All messages of a path are at once (ExchangeTimer); near ones share the network's path where
///   the node has none of its own.
/// - What the topology adds, the network does alone: it can be hidden. It takes off no more than
///   the messages between nodes have.
/// - What MPI's cold code adds is the larger of both paths', since it is fetched once, and cannot
///   be hidden.
/// - A CPU's core copies staged messages itself, from buffers as warm as what it packs: bytes in a
///   row take it no longer than packing them.
class HaloCost {
 public:
  /// `ranks_on_card` of the node's ranks share a network card; the paths' machine must outlive it.
  HaloCost(const Paths& paths, int ranks_on_node, int ranks_on_card);
  HaloCost(const Paths& paths, int ranks_on_node) : HaloCost(paths, ranks_on_node, ranks_on_node) {}

  /// Throws BadInput naming machine and link where messages have no path.
  [[nodiscard]] HaloTimes times(const HaloExchange& halo, Bound bound) const;
  /// Adds what of the exchange is beyond the calibrated range, and what was not calibrated.
  void note(const HaloExchange& halo, std::vector<std::string>& notes) const;

 private:
  /// The path that messages take.
  [[nodiscard]] Across path_of(Across across) const {
    return near_apart_ ? across : Across::other_node;
  }
  [[nodiscard]] const ExchangeTimer& timer(Across across) const;
  void add_messages(const HaloExchange& halo, Across path, Bound bound, HaloTimes& times) const;
  void add_copies(const HaloExchange& halo, Bound bound, HaloTimes& times) const;

  Paths paths_;
  bool near_apart_;
  std::array<std::optional<ExchangeTimer>, 3> timers_;  ///< by Across
};

}  // namespace bellwether
