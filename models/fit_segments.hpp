// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "models/fit_line.hpp"

namespace bellwether {

/// A line and the samples it holds for: those from index `first` to the next segment's.
struct FittedSegment {
  std::size_t first;
  FittedLine line;
};

/// The refined form of fit_link: the segmentation with the least information criterion.
std::vector<FittedSegment> fit_segments(std::span<const LinkSample> samples);

}  // namespace bellwether
