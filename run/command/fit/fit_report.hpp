// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/fit/scaling_fit.hpp"
#include "run/command/fit/hold_out.hpp"
#include "run/command/fit/timed_series.hpp"

namespace bellwether {

/// The fit of one phase, or why there is none.
struct PhaseOfSeries {
  std::string phase;
  std::optional<ScalingFit> fit;
  std::string not_fitted;
  bool on_one_rank = false;  ///< it takes time there too; else it is communication
};

/// A series, what was fitted to it and how near it comes.
struct FittedSeries {
  TimedSeries series;
  std::vector<bool> held_out;
  ScalingFit whole;
  std::vector<PhaseOfSeries> phases;
  double within = 0.05;  ///< of the least time counts as near
};

/// Throws BadInput as fit_scaling does.
FittedSeries fit_series(TimedSeries series, const HoldOut& hold_out, double within);

/// The document of --json; with `curves` also what a picture draws.
nlohmann::json to_json(const FittedSeries& fitted, bool curves);
std::string fit_table(const FittedSeries& fitted);

}  // namespace bellwether
