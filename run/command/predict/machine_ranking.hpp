// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "run/command/predict/prediction_sweep.hpp"

namespace bellwether {

/// A machine as it was asked for, with its predictions.
struct Contestant {
  std::string name;  ///< as it was given
  int ranks_per_node;
  PredictionSweep sweep;
};

/// What one machine does at one count: of its overlap modes and forms the refined form, if it is
/// there, of the faster mode.
struct Place {
  const Contestant* machine;
  ScalingPoint point;
  double rate;  ///< units of work per second, by which machines are ranked
  /// Seconds of a step, the ends of the interval that `predict` prints of it.
  double low_s, high_s;
};

/// The places of each count, in the order of the counts; of a count the fastest first.
class MachineRanking {
 public:
  /// `by_nodes`: a count is one of nodes. Every count of every sweep; all sweeps are of the same
  /// application.
  MachineRanking(std::vector<Contestant> machines, bool by_nodes);

  [[nodiscard]] nlohmann::json json(const nlohmann::json& asked) const;
  /// With `details` a line for each way out of the calibrated range.
  [[nodiscard]] std::string table(bool details) const;

 private:
  struct Count {
    int count;
    std::vector<Place> places;
  };

  std::vector<Contestant> machines_;
  bool by_nodes_;
  std::vector<Count> counts_;
};

/// The chance that a run on one machine has a higher rate than on another. The logarithm of a time
/// is taken as normally distributed on either side of the predicted one, with 90 % within the
/// interval, of both machines independently. Nothing where neither has an interval.
std::optional<double> chance_of_beating(const Place& one, const Place& other);

}  // namespace bellwether
