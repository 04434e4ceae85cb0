// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include "models/network/routes.hpp"

namespace bellwether {

/// A message whose bytes set out at a time, and take `bytes_s` where they are alone on the links of
/// their way.
struct Flow {
  std::size_t number;  ///< the caller's
  double start_s, bytes_s;
  double weight = 1;  ///< of its share of a link
  std::vector<int> links = {};
  double end_s = -1;                  ///< when they are there; below 0: not yet
  double left_s = bytes_s, rate = 1;  ///< what is left meanwhile
};

/// Links, and when messages that were sent before are on them.
class SharedLinks {
 public:
  /// The routes' links, and behind them so many others. The routes must outlive it.
  SharedLinks(const ExchangeRoutes& routes, int others);

  /// Lets messages flow: those that were sent before keep what they have of a link, and these share
  /// the rest, each getting what the link of its way that most share has for it. Nothing is asked
  /// about times before `now` any more.
  void flow(std::vector<Flow>& flows, double now);

 private:
  struct Sent {
    double start_s, end_s, rate;
  };
  std::vector<Sent>& on(int link) { return busy_[static_cast<std::size_t>(link)]; }
  /// Until when they hold.
  double set_rates(std::vector<Flow>& flows, double now);
  static constexpr double never = std::numeric_limits<double>::infinity();

  const ExchangeRoutes& routes_;
  int routed_;
  std::vector<std::vector<Sent>> busy_;  // by link
  std::vector<double> weights_;
};

}  // namespace bellwether
