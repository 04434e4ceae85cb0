// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/network/paths.hpp"

namespace bellwether {

/// What the refined factorization's kernels cost one rank, at any bound: from the machine's
/// cholesky section, which holds the mini-app's kernels in this precision, from its start_up
/// section, or from its device. Made once for many predictions, since reading the device's
/// memory curves takes microseconds. Both kernels do two flops on a value that is read and written:
/// the update a_ik -= l_ij l_kj (column j stays in cache) and the scaling of a column.
class ColumnCosts {
 public:
  /// `ranks_on_node` ranks of a node compute at once; with more than one rank in all, E_p counts.
  /// The machine must outlive the costs.
  ColumnCosts(const Machine& machine, const std::string& precision, int ranks_on_node,
              bool parallel);

  /// Seconds for each value updated, where the rank sweeps over `working_set_bytes`.
  [[nodiscard]] double update_s(double working_set_bytes, Bound bound) const;
  /// Seconds for each value of a column that is scaled.
  [[nodiscard]] double scaling_s(double column_bytes, Bound bound) const;
  /// Start-up of the update by one column: for each such update, and for each column that the rank
  /// updates in it.
  [[nodiscard]] double update_start_up_s(Bound bound) const;
  [[nodiscard]] double updated_column_start_up_s(Bound bound) const;
  /// Start-up of the scaling of one column.
  [[nodiscard]] double scaling_start_up_s(Bound bound) const;
  /// A column's way from one rank of a node to another where it was measured, on a CPU; null: as a
  /// message.
  [[nodiscard]] const LinkTiming* broadcast() const { return broadcast_ ? &*broadcast_ : nullptr; }
  /// Whether they come from the start_up section.
  [[nodiscard]] bool uses_start_up() const { return fitted_.has_value(); }
  /// What was derived or is outside the calibration, for sweeps over up to `working_set_bytes`.
  [[nodiscard]] std::vector<std::string> notes(double working_set_bytes) const;

 private:
  static constexpr int points_per_doubling = 2;
  static constexpr int first_doubling = 10;  // 1 KiB
  static constexpr int last_doubling = 42;   // 4 TiB
  static constexpr int points = (last_doubling - first_doubling) * points_per_doubling + 1;
  using Curve = std::array<double, points>;

  [[nodiscard]] double device_value_s(double working_set_bytes, Bound bound,
                                      std::vector<std::string>& notes) const;
  [[nodiscard]] double read(double working_set_bytes, Bound bound) const;

  const Machine& machine_;
  std::string precision_;
  int ranks_on_node_;
  bool parallel_;
  std::optional<CholeskyKernelRates> measured_;
  std::optional<LinkTiming> broadcast_;
  std::optional<StartUpParameters> fitted_;
  std::array<Curve, 3> seconds_{};  // by bound, for each value at each working set
};

}  // namespace bellwether
