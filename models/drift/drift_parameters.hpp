// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// One probe, over and over.
struct DriftSeries {
  std::string of;  ///< "memory", "matrix product", "network" or "shared memory"
  /// Its times over their median, ascending: 1.1 took a tenth longer.
  std::vector<double> slowness;
};

/// How a machine's speed changes while nothing of what is measured does: a calibration's probes,
/// repeated between all that it measures.
struct DriftParameters {
  static constexpr const char* section_name = "drift";
  std::string source;
  double span_s = 0;  ///< from the first probe to the last
  std::vector<DriftSeries> series;

  /// Ascending; empty: not probed.
  [[nodiscard]] const std::vector<double>& slowness(const std::string& of) const;
};

/// How the section stands in a machine file.
JsonType<DriftParameters> drift_parameters_type();

/// Most that a calibration keeps of a series.
inline constexpr std::size_t most_drift_probes = 64;

/// Of a probe's times, seconds > 0 in any order; of more than most_drift_probes as many quantiles.
DriftSeries drift_series(const std::string& of, std::vector<double> seconds);

/// A speed that jumps between two states rather than wanders.
struct TwoStates {
  double fast = 1, slow = 1;  ///< slowness: the medians of either
  double slow_share = 0;      ///< of the probes
};
/// Where the slowness of at least 20 probes has two: parted where the variance between the parts is
/// largest (Otsu, IEEE Trans. SMC 9, 1979), each with at least four probes and a tenth of them, the
/// slow one at least 15 % slower, and the parts' own deviations small against that (D > 7 of
/// Ashman, Bird, Zepf, Astron. J. 108, 1994; a speed that wanders evenly and is parted in two has
/// about 3.6, of 20 probes more than 7 in one of a thousand times). Absent otherwise.
std::optional<TwoStates> two_states(const std::vector<double>& ascending);

}  // namespace bellwether
