// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {

/// What the Improved Roofline needs of a device and of an application; SI units.
struct Roofline {
  double peak_flops_per_s;
  double peak_bytes_per_s;
};

/// Seconds for `flops` and `bytes`: t = F / F_peak + B / B_peak + alpha (Shimokawabe, Eq. 1), with
/// alpha = `other_s` for everything that is neither arithmetic nor memory access.
double roofline_time(const Roofline& device, double flops, double bytes, double other_s = 0);

/// The attainable rate P = F / t of the same equation, flop/s.
double roofline_flops_per_s(const Roofline& device, double flops, double bytes, double other_s = 0);

/// A device's memory curves of a precision, or all where it has none of it: of a CPU one is
/// measured, as bytes move alike in both.
std::vector<const MemoryCurve*> curves_of(const DeviceParameters& device,
                                          const std::string& precision);

/// Seconds per byte at a working set, and whether that lies where the curve was not measured.
struct CurveReading {
  double value = 0;
  double low = 0;
  double high = 0;
  bool outside = false;
};

/// Reads a curve between its points: seconds per byte linear in the logarithm of the working set.
/// Beyond either end the end's value holds; this counts as outside unless the curve is flat there
/// (its last two points within 5 %), because a cache level or memory goes on as it is.
CurveReading read_curve(const MemoryCurve& curve, double working_set_bytes);

/// The reading a share of the way from one reading to another.
CurveReading between(const CurveReading& from, const CurveReading& to, double share);

/// The device's peak in a precision, flop/s; in the other precision, with a note, where the machine
/// knows only that. Throws BadInput if it knows none.
Quantity peak_flops(const DeviceParameters& device, const std::string& precision,
                    std::vector<std::string>& notes);

/// Byte/s that a rank's kernel without a measured curve gets, each value counted once, with so many
/// ranks on its node: the memory bandwidth times memory_efficiency. Of a data sheet's CPU, of whose
/// seconds a byte 1 / core_bandwidth are the rank's cores' own, the rest grows with the ranks.
double memory_rate(const Machine& machine, int ranks_on_node, Bound bound);

/// Arrays gone through at once as far as a device's memory curves tell them apart: one on a GPU,
/// whose threads are many anyway.
int arrays_told_apart(const DeviceParameters& device, int arrays);

/// How a kernel is asked to run: on `ranks` ranks of a node at once, with `stores` "cached",
/// "streaming" or "auto" (the faster of both), or "in_place" (each line read and written, at the
/// rate of curves of its own).
struct KernelConditions {
  std::string precision;
  std::string stores;
  int ranks = 1;
  double working_set_bytes = 0;
  bool fetches_ahead = false;  ///< asks for its lines long before it needs them
  int arrays = 1;              ///< gone through at once, as arrays_told_apart() has it
};

/// Seconds of one kernel in the refined form, its launches included. On a CPU with memory curves
/// bytes x seconds per byte + F / F_peak, as in the Improved Roofline (Shimokawabe, Eq. 1): a core
/// does not hide its arithmetic behind its own loads. F lacks the flops that the curves' own kernel
/// does. The larger of the two on a GPU, whose threads hide each other's. Where a kernel fetches
/// ahead, the longer of what its bytes take at its working set and of what the core is busy with:
/// the flops at half of F_peak, since nothing is fused, and the same bytes at the curve's fastest,
/// since what it loads and stores occupies the core wherever it comes from. Seconds per byte come
/// from the device's memory curves, linear between the neighbouring rereads, saturating between
/// numbers of ranks, of the number of arrays that is next to the kernel's; or from its memory
/// bandwidth and memory_efficiency if it has no curves, which is noted. What lies outside the
/// calibrated range is read at its edge and noted, one line for each way.
double kernel_time(const Machine& machine, const KernelWork& work,
                   const KernelConditions& conditions, Bound bound,
                   std::vector<std::string>& notes);

/// The same for many kernels of like conditions: the device's curves are chosen once. The working
/// set of the conditions is not looked at; the machine must outlive the timer.
class KernelTimer {
 public:
  KernelTimer(const Machine& machine, double rereads, KernelConditions conditions);

  /// Seconds per byte at a working set; all 0 where the device has no memory curves.
  [[nodiscard]] CurveReading memory(double working_set_bytes) const;
  /// Seconds of a kernel, with what `memory` gave for its working set. Throws BadInput for
  /// arithmetic on a device of unknown peak.
  [[nodiscard]] ComputeTime time(const KernelWork& work, const CurveReading& memory,
                                 Bound bound) const;
  /// The sum of its parts.
  [[nodiscard]] double seconds(const KernelWork& work, const CurveReading& memory,
                               Bound bound) const {
    return time(work, memory, bound).seconds();
  }
  /// Adds what of such a kernel is beyond the calibrated range.
  void note(const KernelWork& work, double working_set_bytes,
            std::vector<std::string>& notes) const;

 private:
  /// Curves of one number of rereads, between the neighbouring numbers of ranks.
  struct RankCurves {
    const MemoryCurve* below = nullptr;
    const MemoryCurve* above = nullptr;
    double share = 0;
  };
  /// Curves of one kind of stores, between the neighbouring rereads.
  struct StoreCurves {
    RankCurves below;
    RankCurves above;
    double share = 0;
    std::vector<std::string> notes;
  };
  using Curves = std::vector<const MemoryCurve*>;

  [[nodiscard]] Curves of_like_arrays(const Curves& curves);
  void read_fastest(const Curves& curves);
  [[nodiscard]] RankCurves between_ranks(const Curves& curves, double ranks,
                                         std::vector<std::string>& notes) const;
  [[nodiscard]] StoreCurves between_rereads(const Curves& curves, double rereads,
                                            double ranks) const;
  static CurveReading read(const RankCurves& curves, double working_set_bytes);
  static CurveReading read(const StoreCurves& curves, double working_set_bytes);
  [[nodiscard]] const StoreCurves& faster(double working_set_bytes, CurveReading& reading) const;
  [[nodiscard]] double flops(const KernelWork& work) const;

  const Machine& machine_;
  const DeviceParameters& device_;
  KernelConditions conditions_;
  bool arithmetic_adds_;             ///< to memory time: CPUs with curves, unless it fetches ahead
  std::optional<Quantity> peak_;     ///< flop/s
  std::vector<StoreCurves> stores_;  ///< cached before streaming; empty: no curves
  std::optional<CurveReading> fastest_;  ///< of a CPU's curves, for a kernel that fetches ahead
  std::vector<std::string> notes_;       ///< of the choice of curves
  std::vector<std::string> peak_notes_;
};

}  // namespace bellwether
