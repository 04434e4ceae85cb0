// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/hpl/hpl_panel.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// Who factors panels in device memory: this program's kernels, or cuSOLVER, which is there to be
/// compared with.
enum class DevicePanelBy { kernels, cusolver };

/// LU with row pivoting of panels that lie in device memory. All that it does is put on one stream;
/// everything that it is given lies in device memory.
class HplDevicePanel {
 public:
  virtual ~HplDevicePanel() = default;
  /// Of the library that factors, for the record; empty: none.
  [[nodiscard]] virtual std::string library() const { return {}; }
  /// As HplPanel::factor(), with at least as many rows as columns. By kernels the operations of up
  /// to 32 columns and their order are the same, without a fused multiply-add. `no_pivot`: the
  /// first column without a pivot, or -1. `choice`, for kernels alone: the host waits for each
  /// column, has it choose the pivot, and goes on; null: one process has all rows, and the host
  /// waits for nothing.
  virtual void factor(double* l, long ldl, long rows, int width, double* no_pivot,
                      PanelPivot* pivots, Stream& stream, PivotChoice* choice = nullptr) = 0;
  /// The row interchanges of a panel with all its rows here as three lists of `width` rows each of
  /// the part of the matrix, in which the panel's first row is row `top`: which row comes to each
  /// top row; the rows below that get a top row, and which. -1 where those are fewer.
  virtual void list_interchanges(int* lists, const PanelPivot* pivots, int width, long top,
                                 Stream& stream) = 0;
};

}  // namespace bellwether
