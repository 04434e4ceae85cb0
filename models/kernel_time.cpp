// SPDX-License-Identifier: MIT
#include "models/kernel_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "models/errors.hpp"
#include "models/memory_curve.hpp"

namespace bellwether {
namespace {

using Curves = std::vector<const MemoryCurve*>;
using Notes = std::vector<std::string>;

template <class Predicate>
Curves select(const Curves& curves, Predicate wanted) {
  Curves chosen;
  std::copy_if(curves.begin(), curves.end(), std::back_inserter(chosen), wanted);
  return chosen;
}

/// The calibrated values next to `wanted`, and the share of the way from the first to the second.
struct Neighbours {
  int below;
  int above;
  double share;
};

Neighbours neighbours(const std::set<int>& calibrated, double wanted, const char* what,
                      Notes& notes) {
  const auto outside = [&](int edge) {
    notes.push_back(fmt::format("{}: {:g} asked, calibrated from {} to {}", what, wanted,
                                *calibrated.begin(), *calibrated.rbegin()));
    return Neighbours{edge, edge, 0};
  };
  if (wanted < *calibrated.begin()) return outside(*calibrated.begin());
  if (wanted > *calibrated.rbegin()) return outside(*calibrated.rbegin());
  const auto above = std::find_if(calibrated.begin(), calibrated.end(),
                                  [&](int value) { return value >= wanted; });
  if (*above == wanted) return {*above, *above, 0};
  const int below = *std::prev(above);
  return {below, *above, (wanted - below) / (*above - below)};
}

/// The reading of `curves` at the value of one of their keys, between the neighbouring values;
/// `read` gives the reading of the curves of one value.
template <class Key, class Read>
CurveReading interpolate(const Curves& curves, Key key, double wanted, const char* what,
                         Notes& notes, Read read) {
  std::set<int> calibrated;
  for (const MemoryCurve* curve : curves) calibrated.insert(key(*curve));
  const Neighbours at = neighbours(calibrated, wanted, what, notes);
  const auto reading = [&](int value) {
    return read(select(curves, [&](const MemoryCurve* curve) { return key(*curve) == value; }));
  };
  if (at.below == at.above) return reading(at.below);
  return between(reading(at.below), reading(at.above), at.share);
}

/// The reading of the curves of one kind of stores.
CurveReading read_curves(const Curves& curves, double rereads, const KernelConditions& conditions,
                         Notes& notes) {
  const auto by_ranks = [&](const Curves& same_rereads) {
    return interpolate(
        same_rereads, [](const MemoryCurve& curve) { return curve.ranks; }, conditions.ranks,
        "ranks of a node computing at once", notes,
        [&](const Curves& same_ranks) {
          return read_curve(*same_ranks.front(), conditions.working_set_bytes);
        });
  };
  CurveReading reading = interpolate(
      curves, [](const MemoryCurve& curve) { return curve.rereads; }, rereads,
      "rereads of a value from cache", notes, by_ranks);
  if (reading.outside)
    notes.push_back(fmt::format("working set of {:g} bytes: beyond the calibrated memory curve",
                                conditions.working_set_bytes));
  return reading;
}

CurveReading seconds_per_byte(const DeviceParameters& device, double rereads,
                              const KernelConditions& conditions, Notes& notes) {
  Curves all;
  for (const MemoryCurve& curve : device.memory) all.push_back(&curve);
  Curves curves = select(
      all, [&](const MemoryCurve* curve) { return curve->precision == conditions.precision; });
  if (curves.empty()) {
    notes.push_back(fmt::format("memory curves: none for {}, the other precision's used",
                                conditions.precision));
    curves = all;
  }
  std::optional<CurveReading> best;
  Notes best_notes;
  for (const char* stores : {"cached", "streaming"}) {
    if (conditions.stores != "auto" && conditions.stores != stores) continue;
    const Curves same =
        select(curves, [&](const MemoryCurve* curve) { return curve->stores == stores; });
    if (same.empty()) continue;
    Notes own;
    const CurveReading reading = read_curves(same, rereads, conditions, own);
    if (best && best->value <= reading.value) continue;
    best = reading;
    best_notes = std::move(own);
  }
  if (!best) {
    notes.push_back(
        fmt::format("memory curves: none with {} stores, the others used", conditions.stores));
    best = read_curves(curves, rereads, conditions, best_notes);
  }
  notes.insert(notes.end(), best_notes.begin(), best_notes.end());
  return *best;
}

double memory_time(const DeviceParameters& device, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound, Notes& notes) {
  if (device.memory.empty())
    return work.bytes / rate_at(device.memory_bandwidth_bytes_per_s, bound);
  const CurveReading reading = seconds_per_byte(device, work.rereads, conditions, notes);
  const Quantity cost{reading.value, reading.low, reading.high, {}};
  return work.bytes * cost_at(cost, bound);
}

/// Flops for each cell that the kernel behind the memory curves does itself, and whose time the
/// curves therefore hold: the mean of a value and its neighbours, a sum and a product.
double curve_flops(double rereads) { return rereads > 0 ? rereads + 1 : 0; }

}  // namespace

Quantity peak_flops(const DeviceParameters& device, const std::string& precision, Notes& notes) {
  const auto known = device.peak_flops_per_s.find(precision);
  if (known != device.peak_flops_per_s.end()) return known->second;
  if (device.peak_flops_per_s.empty())
    throw BadInput(fmt::format("device {}: found no peak_flops_per_s, expected one for {}",
                               device.name, precision));
  const auto& [other, peak] = *device.peak_flops_per_s.begin();
  notes.push_back(fmt::format("peak flop/s: none for {}, that of {} used", precision, other));
  return peak;
}

double kernel_time(const DeviceParameters& device, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound, Notes& notes) {
  if (work.launches == 0) return 0;
  const auto compute_time = [&](double flops) {
    return flops > 0 ? flops / rate_at(peak_flops(device, conditions.precision, notes), bound) : 0;
  };
  const double launches =
      device.launch_latency_s ? work.launches * cost_at(*device.launch_latency_s, bound) : 0;
  const double memory = memory_time(device, work, conditions, bound, notes);
  if (device.kind == "cpu" && !device.memory.empty())
    return memory + compute_time(work.flops - work.cells * curve_flops(work.rereads)) + launches;
  return std::max(compute_time(work.flops), memory) + launches;
}

}  // namespace bellwether
