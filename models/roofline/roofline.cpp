// SPDX-License-Identifier: MIT
#include "models/roofline/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/errors.hpp"
#include "models/machine/device_classes.hpp"
#include "models/roofline/saturation.hpp"

namespace bellwether {

double roofline_time(const Roofline& device, double flops, double bytes, double other_s) {
  return flops / device.peak_flops_per_s + bytes / device.peak_bytes_per_s + other_s;
}

double roofline_flops_per_s(const Roofline& device, double flops, double bytes, double other_s) {
  return flops / roofline_time(device, flops, bytes, other_s);
}

std::vector<const MemoryCurve*> curves_of(const DeviceParameters& device,
                                          const std::string& precision) {
  std::vector<const MemoryCurve*> all, own;
  for (const MemoryCurve& curve : device.memory) {
    all.push_back(&curve);
    if (curve.precision == precision) own.push_back(&curve);
  }
  return own.empty() ? all : own;
}

namespace {

CurveReading reading_of(const BandwidthPoint& point) {
  const Quantity& bandwidth = point.bandwidth_bytes_per_s;
  return {1 / bandwidth.value, 1 / bandwidth.high, 1 / bandwidth.low, false};
}

bool flat(const BandwidthPoint& end, const BandwidthPoint& before) {
  constexpr double tolerance = 0.05;
  const double ratio = end.bandwidth_bytes_per_s.value / before.bandwidth_bytes_per_s.value;
  return std::abs(ratio - 1) <= tolerance;
}

/// The end's reading, beyond the end.
CurveReading clamped(const BandwidthPoint& end, const BandwidthPoint& before, bool alone) {
  CurveReading reading = reading_of(end);
  reading.outside = alone || !flat(end, before);
  return reading;
}

}  // namespace

CurveReading between(const CurveReading& from, const CurveReading& to, double share) {
  const auto mix = [share](double a, double b) { return a + share * (b - a); };
  return {mix(from.value, to.value), mix(from.low, to.low), mix(from.high, to.high),
          from.outside || to.outside};
}

CurveReading read_curve(const MemoryCurve& curve, double working_set_bytes) {
  const auto& points = curve.points;
  const auto next = std::lower_bound(
      points.begin(), points.end(), working_set_bytes,
      [](const BandwidthPoint& point, double size) { return point.working_set_bytes < size; });
  if (next != points.end() && next->working_set_bytes == working_set_bytes)
    return reading_of(*next);
  const bool alone = points.size() == 1;
  if (next == points.begin()) return clamped(*next, alone ? *next : *(next + 1), alone);
  const auto last = next - 1;
  if (next == points.end()) return clamped(*last, alone ? *last : *(last - 1), alone);
  const double share = std::log(working_set_bytes / last->working_set_bytes) /
                       std::log(next->working_set_bytes / last->working_set_bytes);
  return between(reading_of(*last), reading_of(*next), share);
}

namespace {

using Curves = std::vector<const MemoryCurve*>;
using Notes = std::vector<std::string>;

constexpr const char* in_place = "in_place";

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

/// The values of a key of the curves.
template <class Key>
std::set<int> values_of(const Curves& curves, Key key) {
  std::set<int> values;
  for (const MemoryCurve* curve : curves) values.insert(key(curve));
  return values;
}

/// The curves of one value of a key.
template <class Key>
Curves with(const Curves& curves, Key key, int value) {
  return select(curves, [&](const MemoryCurve* curve) { return key(curve) == value; });
}

/// Kernels are compiled without contraction, so that results are the same bits everywhere, and the
/// peak is that of fused multiplications and additions, which count twice.
constexpr double unfused_share = 0.5;

/// Flops for each cell that the kernel behind the memory curves does itself, and whose time the
/// curves therefore hold: the mean of a value and its neighbours, a sum and a product.
double curve_flops(double rereads) { return rereads > 0 ? rereads + 1 : 0; }

}  // namespace

namespace {

/// Of a device without memory curves: at what bandwidth kernels are taken to run, and where that
/// comes from, of which the machine file says more after a colon.
std::string uncurved_note(const Machine& machine, int ranks_on_node) {
  const DeviceParameters& device = machine.device;
  std::string rate = fmt::format("no memory curves: kernels at the machine file's {:.4g} GB/s",
                                 device.memory_bandwidth_bytes_per_s.value / 1e9);
  const int all = machine.layout.ranks_per_node;
  const double times =
      memory_rate(machine, ranks_on_node, Bound::value) / memory_rate(machine, all, Bound::value);
  if (times != 1)
    rate += fmt::format(", {:.2g} times that since {} ranks of a node share what {} may,", times,
                        ranks_on_node, all);
  if (!device.memory_efficiency) return rate + ", whatever their working set";
  const Quantity& share = *device.memory_efficiency;
  return rate + fmt::format(" times {:.2g} ({:.2g} to {:.2g}), {}", share.value, share.low,
                            share.high, share.source.substr(0, share.source.find(": ")));
}

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

double memory_rate(const Machine& machine, int ranks_on_node, Bound bound) {
  const DeviceParameters& device = machine.device;
  const double all = rate_at(device.memory_bandwidth_bytes_per_s, bound);
  if (!device.memory_efficiency) return all;
  const double rate = rate_at(*device.memory_efficiency, bound) * all;
  const std::optional<Quantity> core = core_bandwidth(machine);
  const int sharing = machine.layout.ranks_per_node;
  if (!core || ranks_on_node == sharing) return rate;
  const double own = std::min(1 / rate, 1 / rate_at(*core, bound));
  return 1 / (own + (1 / rate - own) * ranks_on_node / sharing);
}

int arrays_told_apart(const DeviceParameters& device, int arrays) {
  return device.kind == "gpu" ? 1 : arrays;
}

double kernel_time(const Machine& machine, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound, Notes& notes) {
  const KernelTimer timer(machine, work.rereads, conditions);
  timer.note(work, conditions.working_set_bytes, notes);
  return timer.seconds(work, timer.memory(conditions.working_set_bytes), bound);
}

KernelTimer::KernelTimer(const Machine& machine, double rereads, KernelConditions conditions)
    : machine_(machine),
      device_(machine.device),
      conditions_(std::move(conditions)),
      arithmetic_adds_(device_.kind == "cpu" && !device_.memory.empty() &&
                       !conditions_.fetches_ahead) {
  if (!device_.peak_flops_per_s.empty())
    peak_ = peak_flops(device_, conditions_.precision, peak_notes_);
  if (device_.memory.empty()) return;
  const Curves curves = curves_of(device_, conditions_.precision);
  for (const char* stores : {"cached", "streaming", in_place}) {
    const bool any = conditions_.stores == "auto" && stores != std::string(in_place);
    if (!any && conditions_.stores != stores) continue;
    const Curves same =
        select(curves, [&](const MemoryCurve* curve) { return curve->stores == stores; });
    if (same.empty()) continue;
    stores_.push_back(between_rereads(of_like_arrays(same), rereads, conditions_.ranks));
  }
  if (stores_.empty()) {
    notes_.push_back(
        fmt::format("memory curves: none with {} stores, the others used", conditions_.stores));
    const Curves others =
        select(curves, [](const MemoryCurve* curve) { return curve->stores != in_place; });
    stores_.push_back(
        between_rereads(others.empty() ? curves : others, rereads, conditions_.ranks));
  }
  if (conditions_.fetches_ahead && device_.kind == "cpu") read_fastest(curves);
}

void KernelTimer::read_fastest(const Curves& curves) {
  fastest_ = CurveReading{};
  for (const MemoryCurve* curve : curves)
    for (const BandwidthPoint& point : curve->points) {
      CurveReading reading;
      (void)faster(point.working_set_bytes, reading);
      if (fastest_->value == 0 || reading.value < fastest_->value) fastest_ = reading;
    }
}

Curves KernelTimer::of_like_arrays(const Curves& curves) {
  const auto key = [](const MemoryCurve* curve) { return curve->arrays; };
  const int wanted = arrays_told_apart(device_, conditions_.arrays);
  const Neighbours at =
      neighbours(values_of(curves, key), wanted, "arrays gone through at once", notes_);
  return with(curves, key, at.share < 0.5 ? at.below : at.above);
}

KernelTimer::RankCurves KernelTimer::between_ranks(const Curves& curves, double ranks,
                                                   Notes& notes) const {
  const auto key = [](const MemoryCurve* curve) { return curve->ranks; };
  const Neighbours at =
      neighbours(values_of(curves, key), ranks, "ranks of a node computing at once", notes);
  RankCurves chosen{with(curves, key, at.below).front(), with(curves, key, at.above).front()};
  if (chosen.above != chosen.below)
    chosen.share = saturation(device_.stream, chosen.below->stores, at.below, ranks, at.above);
  return chosen;
}

KernelTimer::StoreCurves KernelTimer::between_rereads(const Curves& curves, double rereads,
                                                      double ranks) const {
  const auto key = [](const MemoryCurve* curve) { return curve->rereads; };
  StoreCurves chosen;
  const Neighbours at =
      neighbours(values_of(curves, key), rereads, "rereads of a value from cache", chosen.notes);
  chosen.below = between_ranks(with(curves, key, at.below), ranks, chosen.notes);
  chosen.above = chosen.below;
  if (at.above != at.below)
    chosen.above = between_ranks(with(curves, key, at.above), ranks, chosen.notes);
  chosen.share = at.share;
  return chosen;
}

CurveReading KernelTimer::read(const RankCurves& curves, double working_set_bytes) {
  const CurveReading below = read_curve(*curves.below, working_set_bytes);
  if (curves.above == curves.below) return below;
  const CurveReading above = read_curve(*curves.above, working_set_bytes);
  const auto mix = [&](double fewer, double more) { return saturating(fewer, more, curves.share); };
  return {mix(below.value, above.value), mix(below.low, above.low), mix(below.high, above.high),
          below.outside || above.outside};
}

CurveReading KernelTimer::read(const StoreCurves& curves, double working_set_bytes) {
  const CurveReading below = read(curves.below, working_set_bytes);
  if (curves.above.below == curves.below.below) return below;
  return between(below, read(curves.above, working_set_bytes), curves.share);
}

const KernelTimer::StoreCurves& KernelTimer::faster(double working_set_bytes,
                                                    CurveReading& reading) const {
  const StoreCurves* best = &stores_.front();
  reading = read(*best, working_set_bytes);
  for (std::size_t other = 1; other < stores_.size(); ++other) {
    const CurveReading another = read(stores_[other], working_set_bytes);
    if (another.value >= reading.value) continue;
    reading = another;
    best = &stores_[other];
  }
  return *best;
}

CurveReading KernelTimer::memory(double working_set_bytes) const {
  CurveReading reading;
  if (!stores_.empty()) (void)faster(working_set_bytes, reading);
  return reading;
}

double KernelTimer::flops(const KernelWork& work) const {
  return arithmetic_adds_ ? work.flops - work.cells * curve_flops(work.rereads) : work.flops;
}

ComputeTime KernelTimer::time(const KernelWork& work, const CurveReading& memory,
                              Bound bound) const {
  if (work.launches == 0) return {};
  const auto cost = [bound](const CurveReading& reading) {
    if (bound == Bound::fastest) return reading.low;
    return bound == Bound::slowest ? reading.high : reading.value;
  };
  const double compulsory = stores_.empty()
                                ? work.bytes / memory_rate(machine_, conditions_.ranks, bound)
                                : work.bytes * cost(memory);
  double arithmetic = 0;
  if (const double count = flops(work); count > 0) {
    Notes none;
    if (!peak_) (void)peak_flops(device_, conditions_.precision, none);  // says what is missing
    arithmetic = count / rate_at(*peak_, bound);
  }
  const double launches =
      device_.launch_latency_s ? work.launches * cost_at(*device_.launch_latency_s, bound) : 0;
  if (arithmetic_adds_) return {compulsory, arithmetic + launches, 0};
  if (fastest_) arithmetic = arithmetic / unfused_share + work.bytes * cost(*fastest_);
  return {compulsory, launches, arithmetic};
}

void KernelTimer::note(const KernelWork& work, double working_set_bytes, Notes& notes) const {
  if (work.launches == 0) return;
  const auto add = [&notes](const Notes& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  add(notes_);
  if (stores_.empty()) {
    notes.push_back(uncurved_note(machine_, conditions_.ranks));
  } else {
    CurveReading reading;
    add(faster(working_set_bytes, reading).notes);
    if (reading.outside)
      notes.push_back(fmt::format("working set of {:g} bytes: beyond the calibrated memory curve",
                                  working_set_bytes));
  }
  if (flops(work) > 0) add(peak_notes_);
}

}  // namespace bellwether
