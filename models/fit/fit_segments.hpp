// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "models/fit/fit_line.hpp"

namespace bellwether {

/// A line and the samples it holds for: those from index `first` to the next segment's.
struct FittedSegment {
  std::size_t first;
  FittedLine line;
};

/// What a segment's intercept may be: what passes ahead of the bandwidth shows in larger messages
/// only.
constexpr Intercept intercept_of_segment(std::size_t first) {
  return first == 0 ? Intercept::latency : Intercept::burst;
}

/// The refined form of fit_link: the segmentation with the least information criterion.
std::vector<FittedSegment> fit_segments(std::span<const LinkSample> samples);

}  // namespace bellwether
