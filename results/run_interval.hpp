// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/drift/drift_parameters.hpp"
#include "models/embedded_file.hpp"
#include "results/record.hpp"
#include "results/spread.hpp"

namespace bellwether {

/// acceptance/residuals.json, which is built in.
std::span<const EmbeddedFile> residual_files();

/// How far measured times lay from refined predictions in validation runs, at the speed that was
/// probed: of an app's total on one node or between nodes, or of one of its terms.
struct ModelSpread {
  int runs = 0;
  Spread spread;
};
/// Absent where validation has not at least 12 runs of it.
std::optional<ModelSpread> model_spread(const std::string& app, const std::string& term = "total");

/// Of totals: between nodes what runs on several missed by, where that is known.
std::optional<ModelSpread> model_spread_of_total(const std::string& app, bool between_nodes);

/// What a calibration's probes of one kind say.
struct ProbedDrift {
  std::string of;      ///< "memory", "matrix product", "network", "shared memory"
  Spread between;      ///< how much slower a moment is than another
  double slowest = 1;  ///< of all, times as long as usual
};

/// The 90 % prediction intervals of an app's runs on a machine: three causes each, taken for
/// independent of one another and multiplied. The calibration's is the range of the total by the
/// machine's 95 % intervals, and what its own computations scattered by (ComputeTime::scatter); the
/// drift's what the refined prediction becomes when the compute terms that follow the memory (or
/// matrix products, where those are the limit), what of them is known to be the core's (as matrix
/// products drift), and the network's, take as much longer as one of the machine's probes did than
/// another, since a point of the calibration is of its own moment as the run is; of compute terms
/// that may be the one's or the other's, the wider. The model's is model_spread_of_total(). A
/// term's is its own.
class RunIntervals {
 public:
  /// `multiplies`: matrix products are the app's limit.
  RunIntervals(const std::string& app, bool multiplies, const DriftParameters& drift);
  /// Of a total > 0 of the refined form, on one node or several; without a probe.
  [[nodiscard]] RunInterval of(const Prediction& refined, bool between_nodes) const;

 private:
  std::string app_;
  ProbedDrift memory_, core_, network_;
};

/// That of the record's run, on one node or several. With a probe also the interval at its speed:
/// there the calibration's is that of the terms that are not probed and the scatter, and in the
/// drift's place comes the scatter of the samples about the speed probed beside each of them.
/// Absent without a refined prediction, or where the machine's drift was not probed.
std::optional<RunInterval> run_interval(const Record& record, const DriftParameters* drift,
                                        bool between_nodes);

}  // namespace bellwether
