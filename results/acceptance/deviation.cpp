// SPDX-License-Identifier: MIT
#include "results/acceptance/deviation.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

constexpr std::size_t fewest = 5;
/// Beyond so many degrees of freedom variances are alike.
constexpr double alike = 1e3;

/// The first two derivatives of log gamma: recurrences up to where the asymptotic series hold.
double digamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double square = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - square * (1. / 12 - square * (1. / 120 - square / 252));
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum += 1 / (x * x);
  const double square = 1 / (x * x);
  return sum + 1 / x + square / 2 + square / x * (1. / 6 - square * (1. / 30 - square / 42));
}

/// x of trigamma(x) = value, which falls with x.
double inverse_trigamma(double value) {
  double low = 1e-3, high = alike;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > value ? low : high) = middle;
  }
  return low;
}

std::vector<Deviation> pooled(const std::vector<Deviation>& own) {
  double squares = 0, freedom = 0;
  for (const Deviation& one : own) {
    squares += one.freedom * one.deviation * one.deviation;
    freedom += one.freedom;
  }
  return {own.size(), {freedom > 0 ? std::sqrt(squares / freedom) : 0, freedom}};
}

}  // namespace

std::vector<Deviation> moderated(const std::vector<Deviation>& own) {
  std::vector<double> deviations;
  for (const Deviation& one : own)
    if (one.freedom > 0) deviations.push_back(one.deviation);
  if (deviations.size() < fewest) return pooled(own);
  std::nth_element(deviations.begin(),
                   deviations.begin() + static_cast<long>(deviations.size() / 2), deviations.end());
  const double middle = deviations[deviations.size() / 2];
  if (middle == 0) return pooled(own);
  // Of each log variance the part that its own few values do not explain.
  std::vector<double> logs;
  double mean = 0, explained = 0;
  const double count = static_cast<double>(deviations.size());
  for (const Deviation& one : own) {
    if (one.freedom <= 0) continue;
    const double half = one.freedom / 2;
    // Values that happen to agree say nothing more than that they are close.
    logs.push_back(2 * std::log(std::max(one.deviation, 3e-3 * middle)) - digamma(half) +
                   std::log(half));
    mean += logs.back() / count;
    explained += trigamma(half) / count;
  }
  // So few log variances tell their own variance to a standard error: the far end, since too many
  // degrees of freedom are false alarms, and too few are but changes found later.
  double scatter = 0;
  for (const double value : logs) scatter += (value - mean) * (value - mean) / (count - 1);
  const double excess = scatter * (1 + std::sqrt(2 / (count - 1))) - explained;
  if (excess <= trigamma(alike)) return pooled(own);
  const double half = inverse_trigamma(excess), prior = 2 * half;
  const double variance = std::exp(mean + digamma(half) - std::log(half));
  std::vector<Deviation> all;
  for (const Deviation& one : own) {
    const double freedom = prior + one.freedom;
    all.push_back(
        {std::sqrt((prior * variance + one.freedom * one.deviation * one.deviation) / freedom),
         freedom});
  }
  return all;
}

}  // namespace bellwether
