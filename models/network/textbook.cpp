// SPDX-License-Identifier: MIT
#include "models/network/textbook.hpp"

#include <algorithm>

#include "models/network/link.hpp"

namespace bellwether {
namespace {

/// What the algorithms are made of, on so many ranks.
class Steps {
 public:
  Steps(const Paths& paths, int ranks) : paths_(paths), ranks_(ranks) {}

  /// All ranks exchange with the ranks `distance` away.
  [[nodiscard]] double exchange(int distance, double bytes) const {
    return ExchangeTimer(paths_.between(0, distance), paths_.placement().on_node(ranks_))
        .seconds(bytes, Bound::value);
  }
  /// An exchange with each of the others.
  [[nodiscard]] double pairwise(double bytes) const {
    double seconds = 0;
    for (int distance = 1; distance < ranks_; ++distance) seconds += exchange(distance, bytes);
    return seconds;
  }
  /// Each rank sends the next one a block, ranks - 1 times: one message leaves each node.
  [[nodiscard]] double ring(double bytes) const {
    double step = exchange(1, bytes);
    if (paths_.placement().nodes(ranks_) > 1)
      step = std::max(step, ExchangeTimer(paths_.joining(ranks_), 1).seconds(bytes, Bound::value));
    return (ranks_ - 1) * step;
  }
  /// Distances 1, 2, 4, ...: at each a rank has as many blocks as it is far, if there are so many.
  [[nodiscard]] double doubling(double bytes) const {
    return over_distances([&](int distance) {
      return exchange(distance, std::min(distance, ranks_ - distance) * bytes);
    });
  }
  /// At each distance all blocks go whose way is a sum with that power of two in it.
  [[nodiscard]] double bruck(double bytes) const {
    return over_distances([&](int distance) {
      int blocks = 0;
      for (int way = 1; way < ranks_; ++way) blocks += (way & distance) != 0 ? 1 : 0;
      return exchange(distance, blocks * bytes);
    });
  }
  /// Messages one after another, of all bytes or of those that are meant for who is beyond.
  [[nodiscard]] double binomial(double bytes, bool scatters) const {
    return over_distances([&](int distance) {
      const double share = scatters ? 1.0 * std::min(distance, ranks_ - distance) / ranks_ : 1;
      return link_time(paths_.between(0, distance).link->one_way, share * bytes);
    });
  }

 private:
  template <class Step>
  double over_distances(Step&& step) const {
    double seconds = 0;
    for (int distance = 1; distance < ranks_; distance *= 2) seconds += step(distance);
    return seconds;
  }

  const Paths& paths_;
  int ranks_;
};

}  // namespace

double textbook_time(const std::string& collective, const Paths& paths, int ranks, double bytes) {
  const Steps steps(paths, ranks);
  const auto gathered = [&](double block) {
    return std::min(steps.doubling(block), steps.ring(block));
  };
  if (collective == "alltoall") return std::min(steps.bruck(bytes), steps.pairwise(bytes));
  if (collective == "allgather") return gathered(bytes);
  if (collective == "bcast")
    return std::min(steps.binomial(bytes, false),
                    steps.binomial(bytes, true) + gathered(bytes / ranks));
  return std::min(steps.doubling(bytes), steps.pairwise(bytes));
}

}  // namespace bellwether
