// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/drift/drift_parameters.hpp"
#include "models/embedded_file.hpp"
#include "results/record.hpp"
#include "results/spread.hpp"

namespace bellwether {

/// acceptance/residuals.json, which is built in.
std::span<const EmbeddedFile> residual_files();

/// What validation says of an app's refined predictions, at the probed speed, on undisturbed
/// machines.
struct Residual {
  int runs = 0;
  double median = 0;       ///< of measured / predicted - 1
  double mean_excess = 0;  ///< of the slower half over the median
  std::string source;
  std::map<std::string, std::vector<double>> ratios;  ///< of the total, or a term

  /// That one of m runs exceeds by chance with probability `alpha`: beyond the median the excess
  /// falls off exponentially.
  [[nodiscard]] double bound(double alpha, int m) const;
};
/// Of an app, from that table; null: none.
const Residual* residual_of(const std::string& app);

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

/// The 90 % intervals of an app's runs: calibration (the machine's 95 % intervals, scatter), drift
/// (its probes' ratios) and model_spread_of_total(), multiplied as independent.
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

/// That of the record's run, on one node or several; at the probe drift gives way to the samples'
/// scatter about the probed speed. Absent without refined prediction or known drift.
std::optional<RunInterval> run_interval(const Record& record, const DriftParameters* drift,
                                        bool between_nodes);

}  // namespace bellwether
