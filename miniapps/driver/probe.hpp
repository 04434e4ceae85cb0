// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// Something that the calibration measured, measured again between a run's samples: tells a machine
/// whose speed has changed since then from a wrong model.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Whose speed, in a word ("memory", "loops"), and its unit.
  [[nodiscard]] virtual const char* of() const = 0;
  [[nodiscard]] virtual const char* unit() const = 0;
  /// Collective. The rate of one rank, the slowest. Leaves the case's state as it was, and of it in
  /// the caches what a step would.
  virtual double measure() = 0;
  /// Collective, right before measure(), whose care for the caches covers it. The rate of one rank,
  /// the slowest, of work whose data are at hand, where the case's time is its core's as well as
  /// what measure() finds. 0: none is measured.
  virtual double measure_core() { return 0; }
  /// What the machine file says of that; 0 if it does not.
  [[nodiscard]] virtual double calibrated_core() const { return 0; }
  /// Collective, right after measure(), and as careful. The rate of a plain kernel that goes
  /// through contiguous memory once: what the layout of the case's own data costs shows against it.
  /// 0: none is measured.
  virtual double measure_plain() { return 0; }
  /// What the machine file says of the same; 0 if it does not.
  [[nodiscard]] virtual double calibrated() const = 0;
};

}  // namespace bellwether
