// SPDX-License-Identifier: MIT
#include "models/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>

#include "models/errors.hpp"
#include "models/fit/fit_segments.hpp"

namespace bellwether {
namespace {

constexpr int resamples = 200;
constexpr unsigned seed = 20131;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void require_usable(const std::vector<RepeatedSample>& measured) {
  if (measured.empty()) throw BadInput("link fit: found no samples, expected at least one size");
  double last = -1;
  for (const RepeatedSample& sample : measured) {
    if (!std::isfinite(sample.bytes) || sample.bytes < 0 || sample.bytes <= last)
      throw BadInput(fmt::format("link fit: found size {} after {}, expected ascending sizes >= 0",
                                 sample.bytes, last));
    last = sample.bytes;
    if (sample.seconds.empty())
      throw BadInput(fmt::format("link fit: found no time for {} bytes", sample.bytes));
    for (const double seconds : sample.seconds)
      if (!std::isfinite(seconds) || seconds <= 0)
        throw BadInput(fmt::format("link fit: found a time of {} s for {} bytes, expected > 0",
                                   seconds, sample.bytes));
  }
}

/// 95 % interval from the percentiles of the resampled values; it always holds the value itself.
Quantity interval(double value, std::vector<double> resampled) {
  std::sort(resampled.begin(), resampled.end());
  const auto tail = static_cast<std::size_t>(0.025 * static_cast<double>(resampled.size()));
  return {value,
          std::min(value, resampled[tail]),
          std::max(value, resampled[resampled.size() - 1 - tail]),
          {}};
}

/// A line over samples [first, end), its parameters in resampled data, and where the fit keeps
/// them.
struct Piece {
  std::size_t first, end;
  Intercept intercept;
  Quantity& latency_s;
  Quantity& bandwidth_bytes_per_s;
  Quantity* burst_bytes = nullptr;  ///< of a segment
  std::vector<double> latencies = {}, bandwidths = {}, bursts = {};

  [[nodiscard]] std::span<const LinkSample> part(const std::vector<LinkSample>& samples) const {
    return std::span(samples).subspan(first, end - first);
  }
};

/// Sets the intervals of the pieces' parameters, whose values stand.
void resample(const std::vector<RepeatedSample>& measured, std::vector<Piece>& pieces) {
  std::mt19937_64 random(seed);
  std::vector<LinkSample> medians;
  for (const RepeatedSample& sample : measured) medians.push_back({sample.bytes, 0});
  for (int round = 0; round < resamples; ++round) {
    for (std::size_t index = 0; index < measured.size(); ++index) {
      const std::vector<double>& seconds = measured[index].seconds;
      std::vector<double> drawn(seconds.size());
      for (double& value : drawn) value = seconds[random() % seconds.size()];
      medians[index].seconds = median(drawn);
    }
    for (Piece& piece : pieces) {
      const FittedLine again = fit_line(piece.part(medians), piece.intercept);
      piece.latencies.push_back(again.latency_s());
      piece.bursts.push_back(again.burst_bytes());
      piece.bandwidths.push_back(again.bandwidth(medians[piece.end - 1].bytes));
    }
  }
  for (Piece& piece : pieces) {
    piece.latency_s = interval(piece.latency_s.value, std::move(piece.latencies));
    piece.bandwidth_bytes_per_s =
        interval(piece.bandwidth_bytes_per_s.value, std::move(piece.bandwidths));
    if (piece.burst_bytes != nullptr)
      *piece.burst_bytes = interval(piece.burst_bytes->value, std::move(piece.bursts));
  }
}

}  // namespace

LinkTiming fit_link(const std::vector<RepeatedSample>& measured) {
  require_usable(measured);
  LinkTiming timing;
  for (const RepeatedSample& sample : measured) {
    std::vector<double> seconds = sample.seconds;
    timing.samples.push_back({sample.bytes, median(seconds)});
  }
  const std::span<const LinkSample> samples(timing.samples);
  const FittedLine line = fit_line(samples);
  timing.latency_s.value = line.latency_s();
  timing.bandwidth_bytes_per_s.value = line.bandwidth(samples.back().bytes);
  timing.largest_residual_paper = largest_residual(line, samples);

  const std::vector<FittedSegment> segments = fit_segments(samples);
  timing.segments.resize(segments.size());
  std::vector<Piece> pieces{
      {0, samples.size(), Intercept::latency, timing.latency_s, timing.bandwidth_bytes_per_s}};
  for (std::size_t index = 0; index < segments.size(); ++index) {
    const auto& [first, fitted] = segments[index];
    const std::size_t end =
        index + 1 < segments.size() ? segments[index + 1].first : samples.size();
    LinkSegment& segment = timing.segments[index];
    segment.from_bytes = samples[first].bytes;
    segment.latency_s.value = fitted.latency_s();
    segment.burst_bytes.value = fitted.burst_bytes();
    segment.bandwidth_bytes_per_s.value = fitted.bandwidth(samples[end - 1].bytes);
    pieces.push_back({first, end, intercept_of_segment(first), segment.latency_s,
                      segment.bandwidth_bytes_per_s, &segment.burst_bytes});
    timing.largest_residual = std::max(
        timing.largest_residual, largest_residual(fitted, samples.subspan(first, end - first)));
  }
  resample(measured, pieces);
  return timing;
}

}  // namespace bellwether
