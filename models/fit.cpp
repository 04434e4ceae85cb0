// SPDX-License-Identifier: MIT
#include "models/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/errors.hpp"
#include "models/fit_segments.hpp"

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

void fit_paper_form(const std::vector<RepeatedSample>& measured, const FittedLine& line,
                    LinkTiming& timing) {
  const double largest = measured.back().bytes;
  std::mt19937_64 random(seed);
  std::vector<double> latencies, bandwidths;
  std::vector<LinkSample> medians = timing.samples;
  for (int round = 0; round < resamples; ++round) {
    for (std::size_t index = 0; index < measured.size(); ++index) {
      const std::vector<double>& seconds = measured[index].seconds;
      std::vector<double> drawn(seconds.size());
      for (double& value : drawn) value = seconds[random() % seconds.size()];
      medians[index].seconds = median(drawn);
    }
    const FittedLine again = fit_line(medians);
    latencies.push_back(again.latency_s);
    bandwidths.push_back(again.bandwidth(largest));
  }
  timing.latency_s = interval(line.latency_s, std::move(latencies));
  timing.bandwidth_bytes_per_s = interval(line.bandwidth(largest), std::move(bandwidths));
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
  fit_paper_form(measured, line, timing);

  const std::vector<FittedSegment> segments = fit_segments(samples);
  double residual = 0;
  for (std::size_t index = 0; index < segments.size(); ++index) {
    const auto& [first, piece] = segments[index];
    const std::size_t end =
        index + 1 < segments.size() ? segments[index + 1].first : samples.size();
    const std::span<const LinkSample> part = samples.subspan(first, end - first);
    residual = std::max(residual, largest_residual(piece, part));
    timing.segments.push_back(
        {part.front().bytes, piece.latency_s, piece.bandwidth(part.back().bytes)});
  }
  timing.largest_residual = std::min(residual, largest_residual(line, samples));
  return timing;
}

}  // namespace bellwether
