// SPDX-License-Identifier: MIT
#include "models/fit/fit_line.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace bellwether
