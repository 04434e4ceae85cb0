// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "kernels/lbm/lattice.hpp"

namespace bellwether {

/// What the scheme makes of a Taylor-Green flow too weak to act on itself: its equations linearized
/// about a uniform flow, for each of the plane waves that the flow is a sum of (von Neumann's
/// analysis: Sterling and Chen 1996). Exact for any wave number and relaxation time, the passage
/// from the initial equilibrium included; what a real flow decays by differs from it by O(Ma^2).
class LinearDecay {
 public:
  /// `wave` with two components that are not 0 at most, and not none.
  LinearDecay(std::array<double, 3> wave, double tau, std::array<double, 3> drift);

  /// Amplitude after `steps` steps over that at the start, in a frame that moves with the drift.
  /// Steps in rising order are cheap.
  [[nodiscard]] double amplitude(long steps);

 private:
  using Number = std::complex<double>;
  /// One plane wave, transverse at the start.
  struct Wave {
    std::array<double, 3> k{}, along{};
    std::array<Number, d3q19::populations> f{};
  };
  void start();
  void collide(Wave& wave) const;
  void stream(Wave& wave) const;
  [[nodiscard]] double projection() const;

  std::array<double, 3> vector_;
  double tau_;
  std::array<double, 3> drift_;
  std::vector<Wave> waves_;
  long steps_ = 0;
  double first_ = 1;
};

}  // namespace bellwether
