// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "miniapps/hpl/row_exchange.hpp"

namespace bellwether {

/// A factored panel as it stands in device memory.
struct FactoredPanel {
  long number = 0;
  int width = 0;
  const double* inverse = nullptr;  ///< of L11, width x width; not to be used if it grew too far
  bool use_inverse = true;
  const double* l = nullptr;  ///< column-major: L11 first, then the process' rows below
  long ldl = 0;
  /// Its interchanges as HplDevicePanel lists them; null: as its pivots say.
  const int* lists = nullptr;
  Event* arrived = nullptr;  ///< all of it; the matrix' stream waits already. Null: it stands there
};

/// What a panel does to the columns behind it: its row interchanges, U = L11^-1 of the top rows,
/// a strip of columns at a time (on a device all at once), and the matrix product of all. Phases:
/// swap, network.swap, compute.trsm, compute.gemm. On GPUs with several rows of processes swaps and
/// U of some columns are made while others are multiplied, and network.swap has what the products
/// waited for.
class HplUpdate {
 public:
  /// Collective over the process column.
  HplUpdate(const HplGrid& grid, const LocalMatrix& matrix, const HplVariant& variant,
            NodePath path);
  HplUpdate(const HplUpdate&) = delete;
  HplUpdate& operator=(const HplUpdate&) = delete;

  /// The panel, whose update follows; `pivots` null where it has lists. Its memory stays as it is
  /// until the last update by it.
  void begin(const FactoredPanel& panel, const PanelPivot* pivots);
  /// Of the columns from `first` to `end`, where the second part begins whose rows are best
  /// exchanged beside the product with those before; `end` where no rows travel.
  long second_part(long first, long end);
  /// Collective over the process column. The process' columns from `first` to `end`. `go_on` is
  /// called after each strip's swaps and between pieces of the product: it lets messages go on, and
  /// says whether there will be more of them, for which the product is cut into pieces.
  void update(long first, long end, PhaseClock& clock, StreamTimer& timer,
              const std::function<bool()>& go_on);

  /// Device memory for strips and U, in bytes, of a part as large as the largest.
  static std::size_t most_bytes(long size, int block, const ProcessGrid& grid, bool on_device);

 private:
  void triangle(UpperRows u, UpperRows w, long columns);

  const LocalMatrix& matrix_;
  long strip_;
  FactoredPanel panel_;
  SwapStream swaps_;
  RowExchange rows_;
  long second_ = 0;  ///< the second part's first column
  PhaseClock* clock_ = nullptr;
  StreamTimer* timer_ = nullptr;
};

}  // namespace bellwether
