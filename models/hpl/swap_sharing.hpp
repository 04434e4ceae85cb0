// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace bellwether {

/// The row swaps of an update by one process column, in seconds: when it comes to them, how long
/// they take it alone, and of that how long it is on the link on which columns get most into each
/// other's way; and how long another column is on that link in its swaps.
struct ColumnSwaps {
  double begin_s = 0;
  double alone_s = 0;
  double link_s = 0;
  double link_s_of_another = 0;
  double end_s = 0;  ///< as SwapSharing has it

  /// While so many others swap, which are not in step with it: a message shares the link with those
  /// of the others that are on it just then. Each is there R seconds of the D that its swaps take
  /// by that, so that R = link_s + others link_s_of_another R / D, where D - R is what it takes
  /// beside the link.
  [[nodiscard]] double lasting_s(double others) const;
  /// What others have made it longer by.
  [[nodiscard]] double shared_s() const { return end_s - begin_s - alone_s; }
};

/// Process columns that share the links of a topology while they swap rows. A column comes to a
/// panel's swaps when it has the panel: in a ring a hop after the one before it, when that one may
/// be through. At any time it goes on as fast as those let it who swap just then.
class SwapSharing {
 public:
  /// Sets when each is through. Those before that are not through when these begin take their part
  /// of the links, at the times that they were given.
  void share(std::vector<ColumnSwaps>& swaps) const;
  /// Has them among those before the next ones.
  void keep(const std::vector<ColumnSwaps>& swaps);

 private:
  std::vector<ColumnSwaps> before_;
};

}  // namespace bellwether
