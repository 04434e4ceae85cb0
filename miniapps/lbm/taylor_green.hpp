// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace bellwether {

/// Vortices in the plane of two directions a and b (Taylor and Green 1937), an exact solution of
/// the incompressible equations that decays as exp(-nu k^2 t), k^2 = k_a^2 + k_b^2:
///   u_a =  U k_b / K sin(k_a a) cos(k_b b),  u_b = -U k_a / K cos(k_a a) sin(k_b b),
///   p = U^2 / (4 K^2) (k_b^2 cos(2 k_a a) + k_a^2 cos(2 k_b b)),  K = max(k_a, k_b), phases apart.
/// The plane is that of z and y, which decompositions divide first; a direction of fewer than four
/// cells cannot hold a wave, and is passed over. With one direction left it is a shear wave, with
/// none there is no flow (k = 0). Waves are at most 64 cells long, so that the decay shows soon.
class TaylorGreen {
 public:
  explicit TaylorGreen(std::array<int, 3> cells);

  [[nodiscard]] double wave_number_squared() const { return k_[0] * k_[0] + k_[1] * k_[1]; }
  /// In x, y and z.
  [[nodiscard]] std::array<double, 3> wave_vector() const;
  [[nodiscard]] bool is_still() const { return wave_number_squared() == 0; }

  /// Factor of velocity component `component` that varies along `direction`, at cell `cell`, for
  /// a peak speed of 1, when the pattern has moved by `moved` cells.
  [[nodiscard]] double factor(int component, int direction, double cell, double moved) const;
  /// What the pressure varies by along the direction, for a peak speed of 1 and density 1.
  [[nodiscard]] double pressure(int direction, double cell) const;

 private:
  [[nodiscard]] double phase(int n, double cell) const;

  std::array<int, 2> plane_{2, 1};  ///< a and b
  std::array<double, 2> k_{};
};

}  // namespace bellwether
