// SPDX-License-Identifier: MIT
#include "models/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "models/errors.hpp"
#include "models/median.hpp"

namespace bellwether {

double FittedLine::bandwidth(double largest) const {
  constexpr double least_share = 1e-6;
  const double bytes = std::max(largest, 1.0);
  return 1 / std::max(seconds_per_byte, least_share * intercept_s / bytes);
}

FittedLine fit_line(std::span<const LinkSample> samples, Intercept intercept) {
  // Minimize sum (a/t + b s/t - 1)^2: two unknowns with the columns p = 1/t and q = s/t. Sizes are
  // scaled by the largest, so that both columns are of one magnitude.
  const double scale = std::max(samples.back().bytes, 1.0);
  double pp = 0, pq = 0, qq = 0, p1 = 0, q1 = 0;
  for (const auto& [bytes, seconds] : samples) {
    const double p = 1 / seconds;
    const double q = bytes / scale / seconds;
    pp += p * p;
    pq += p * q;
    qq += q * q;
    p1 += p;
    q1 += q;
  }
  const auto line = [&](double a, double b) {
    FittedLine candidate{a, b / scale, 0};
    for (const auto& [bytes, seconds] : samples) {
      const double residual = candidate(bytes) / seconds - 1;
      candidate.squares += residual * residual;
    }
    return candidate;
  };
  if (samples.size() == 1)
    return samples[0].bytes > 0 ? line(0, q1 / qq) : line(samples[0].seconds, 0);

  // The edges: b = 0, and a = -burst b, where the column is q - burst p.
  const double burst = intercept == Intercept::burst ? samples.front().bytes / scale / 2 : 0;
  const double steepest = (q1 - burst * p1) / (qq - 2 * burst * pq + burst * burst * pp);
  FittedLine best = line(p1 / pp, 0);
  const FittedLine proportional = line(-burst * steepest, steepest);
  if (steepest > 0 && proportional.squares < best.squares) best = proportional;
  const double determinant = pp * qq - pq * pq;
  const double a = (p1 * qq - q1 * pq) / determinant;
  const double b = (q1 * pp - p1 * pq) / determinant;
  if (determinant > 0 && b >= 0 && a >= -burst * b) {
    const FittedLine free = line(a, b);
    if (free.squares <= best.squares) best = free;
  }
  return best;
}

double largest_residual(const FittedLine& line, std::span<const LinkSample> samples) {
  double largest = 0;
  for (const auto& [bytes, seconds] : samples)
    largest = std::max(largest, std::abs(line(bytes) / seconds - 1));
  return largest;
}

namespace {

constexpr std::size_t fewest_per_segment =
    3;  // of a segment: two parameters and one to judge them by
constexpr std::size_t most_segments = 8;
constexpr double negligible_residual = 0.01;  // relative residuals below this count as none

/// Bayesian information criterion of m segments: two parameters each and m - 1 breakpoints.
double criterion(double squares, std::size_t samples, std::size_t segments) {
  const auto n = static_cast<double>(samples);
  return n * std::log(squares / n + negligible_residual * negligible_residual) +
         static_cast<double>(3 * segments - 1) * std::log(n);
}

/// best[m][end]: the least sum of squares of m + 1 segments over the first `end` samples, and where
/// the last of them begins.
struct Choice {
  double squares = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
};
using Table = std::vector<std::vector<Choice>>;

Table best_choices(std::span<const LinkSample> samples, std::size_t segments) {
  const std::size_t count = samples.size();
  Table best(segments, std::vector<Choice>(count + 1));
  for (std::size_t first = 0; first + fewest_per_segment <= count; ++first) {
    for (std::size_t end = first + fewest_per_segment; end <= count; ++end) {
      const double squares =
          fit_line(samples.subspan(first, end - first), intercept_of_segment(first)).squares;
      if (first == 0) best[0][end] = {squares, 0};
      // Ascending `first`: best[m - 1][first] is final, since its segments end before this begins.
      for (std::size_t m = 1; m < segments; ++m) {
        const double sum = best[m - 1][first].squares + squares;
        if (sum < best[m][end].squares) best[m][end] = {sum, first};
      }
    }
  }
  return best;
}

}  // namespace

std::vector<FittedSegment> fit_segments(std::span<const LinkSample> samples) {
  const std::size_t count = samples.size();
  if (count < 2 * fewest_per_segment) return {{0, fit_line(samples)}};
  const Table best = best_choices(samples, std::min(most_segments, count / fewest_per_segment));
  std::size_t chosen = 0;
  for (std::size_t m = 1; m < best.size(); ++m)
    if (criterion(best[m][count].squares, count, m + 1) <
        criterion(best[chosen][count].squares, count, chosen + 1))
      chosen = m;

  std::vector<FittedSegment> segments;
  std::size_t end = count;
  for (std::size_t m = chosen + 1; m-- > 0;) {
    const std::size_t first = best[m][end].first;
    segments.push_back(
        {first, fit_line(samples.subspan(first, end - first), intercept_of_segment(first))});
    end = first;
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

namespace {

constexpr int resamples = 200;
constexpr unsigned seed = 20131;

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
      medians[index].seconds = median_in(drawn);
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
  std::vector<LinkSample> medians;
  for (const RepeatedSample& sample : measured) {
    std::vector<double> seconds = sample.seconds;
    medians.push_back({sample.bytes, median_in(seconds)});
  }
  const std::span<const LinkSample> samples(medians);
  timing.largest_bytes = samples.back().bytes;
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
