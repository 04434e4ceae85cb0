// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace bellwether
