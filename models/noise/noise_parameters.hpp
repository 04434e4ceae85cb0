// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// So large a share of the detours is at most so long.
struct DetourLength {
  double fraction;
  double seconds;
};

/// Of detours beyond the last of the lengths: a generalized Pareto distribution of the excess y,
/// P(Y > y) = (1 + shape y / scale)^(-1 / shape), exponential where the shape is 0.
struct DetourTail {
  Quantity scale_s;
  Quantity shape;
};

/// What a rank's processor does beside its work, by a fixed quantum of work over and over on all
/// ranks at once (FWQ; Petrini, Kerbyson, Pakin, SC 2003; Hoefler, Schneider, Lumsdaine, SC 2010).
/// A detour is what a quantum takes beyond the quanta around it.
struct NoiseParameters {
  static constexpr const char* section_name = "noise";
  std::string source;
  int detours = 0;         ///< of all ranks, that the following rests on
  Quantity detours_per_s;  ///< of a rank
  /// Ascending from fraction 0 on; the last is where the tail begins, or 1. Empty without detours.
  std::vector<DetourLength> lengths;
  std::optional<DetourTail> tail;
  Quantity shared_fraction;  ///< of a rank's detours, that meet all ranks of its node at once
};

/// How the section stands in a machine file.
JsonType<NoiseParameters> noise_parameters_type();

/// Most of NoiseParameters::lengths that a calibration keeps.
inline constexpr int most_detour_lengths = 6;

/// Lengths, tail and their number, of detours as they were seen, seconds > 0 in any order. From 100
/// detours on the tail is that of the longest 5 %, at least 20, by probability-weighted moments
/// (Hosking and Wallis, Technometrics 29, 1987), its shape from 0 to 0.5; of fewer all are a tail,
/// an exponential one. Its intervals: 95 % of 200 samples drawn anew from those (bootstrap).
void set_detour_lengths(std::vector<double> seconds, NoiseParameters& noise);

}  // namespace bellwether
