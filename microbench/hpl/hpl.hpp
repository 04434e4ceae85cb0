// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"

namespace bellwether {

/// One of HPL's operations on every rank at once, on a matrix of each rank's own that is row-major
/// as the mini-app's, as far as there is room beyond the caches.
struct HplSpec {
  enum class Operation {
    product,       ///< C (rows x columns) -= L (rows x width) U
    triangle,      ///< U = inv(L11) W, width x columns
    panel,         ///< taken out of the matrix, factored by the host, its triangle inverted: parts
    device_panel,  ///< factored where it lies in device memory, its interchanges listed
    solve_triangle,  ///< U = L11^-1 W, width x columns, as goes with device_panel
    swap,            ///< width rows of so many columns out of the matrix, and as many within it
    solve,           ///< rows x width of U times x
    broadcast,       ///< so many rows of so many columns to another rank of a node, and back
    pivot,           ///< candidates of so many columns, of two ranks of a node
  };
  Operation operation;
  int rows = 0, columns = 0, width = 0;

  [[nodiscard]] std::string name() const;
};
using HplCases = std::vector<Planned<HplSpec>>;

/// The parts of a panel's case, in this order.
enum class PanelPart { copy, factor, invert };

/// Doubles that so many rows of so many columns take.
std::size_t hpl_values(long rows, long columns);

struct HplSizes {
  int edge = 0;              ///< of the matrix that products change
  int tallest = 0;           ///< panel
  std::vector<int> widths;   ///< ascending
  std::vector<int> heights;  ///< of panels, ascending

  [[nodiscard]] bool empty() const { return widths.empty(); }

  /// Columns of the matrix that panels are taken from: beyond the panel, so that its rows are
  /// apart.
  [[nodiscard]] long columns_about() const { return 2L * widths.back(); }
  /// Of device memory: the matrix and what goes with it, or the one that panels are taken from.
  [[nodiscard]] std::size_t arena_values() const;
  /// Of the host's, and on a device that is none of its as well: a panel and an inverse.
  [[nodiscard]] std::size_t panel_values() const;
};
/// What of the usual sizes fits.
HplSizes hpl_sizes(const CalibrationLimits& limits, std::size_t room);
/// What there is to measure.
struct HplSite {
  bool has_pairs = false;  ///< of ranks on a node: pivots, and on a host's device panels in between
  bool on_host = true;     ///< the device is the host: its panels pass through shared memory
  bool device_panels = false;  ///< the device factors panels too
};
std::vector<HplSpec> hpl_specs(const HplSizes& sizes, const HplSite& site);

HplCases plan_hpl(Plan& plan);
BenchCase make_case(Bench& bench, const HplSpec& spec);

/// The machine's hpl.kernels; nothing where none was measured.
void hpl_from_samples(const HplCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
