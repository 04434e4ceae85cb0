// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace bellwether {

/// D3Q19 as textbooks have it, in double precision and with nothing of the kernels': full
/// populations f_i, two lattices, an explicit neighbour for each of 19 velocities.
namespace reference {

struct Velocity {
  int x, y, z;
  double weight;
};
inline constexpr std::array<Velocity, 19> velocities{{
    {0, 0, 0, 1.0 / 3},    {1, 0, 0, 1.0 / 18},  {-1, 0, 0, 1.0 / 18}, {0, 1, 0, 1.0 / 18},
    {0, -1, 0, 1.0 / 18},  {0, 0, 1, 1.0 / 18},  {0, 0, -1, 1.0 / 18}, {1, 1, 0, 1.0 / 36},
    {-1, -1, 0, 1.0 / 36}, {1, -1, 0, 1.0 / 36}, {-1, 1, 0, 1.0 / 36}, {1, 0, 1, 1.0 / 36},
    {-1, 0, -1, 1.0 / 36}, {1, 0, -1, 1.0 / 36}, {-1, 0, 1, 1.0 / 36}, {0, 1, 1, 1.0 / 36},
    {0, -1, -1, 1.0 / 36}, {0, 1, -1, 1.0 / 36}, {0, -1, 1, 1.0 / 36},
}};
/// The index of a velocity; 19 if there is none such.
constexpr std::size_t index_of(int x, int y, int z) {
  std::size_t i = 0;
  while (i < 19 && (velocities[i].x != x || velocities[i].y != y || velocities[i].z != z)) ++i;
  return i;
}
constexpr std::size_t opposite(std::size_t i) {
  return index_of(-velocities[i].x, -velocities[i].y, -velocities[i].z);
}

using Populations = std::array<double, 19>;

struct Fluid {
  double tau = 1;
  std::array<double, 3> force{};
  double smagorinsky = 0;
};

struct Moments {
  double density;
  std::array<double, 3> velocity;
};
inline Moments moments(const Populations& f, const std::array<double, 3>& force) {
  double density = 0;
  std::array<double, 3> momentum{force[0] / 2, force[1] / 2, force[2] / 2};
  for (std::size_t i = 0; i < 19; ++i) {
    density += f[i];
    momentum[0] += f[i] * velocities[i].x;
    momentum[1] += f[i] * velocities[i].y;
    momentum[2] += f[i] * velocities[i].z;
  }
  return {density, {momentum[0] / density, momentum[1] / density, momentum[2] / density}};
}

inline double dot(const Velocity& c, const std::array<double, 3>& a) {
  return c.x * a[0] + c.y * a[1] + c.z * a[2];
}
inline double equilibrium(std::size_t i, const Moments& m) {
  const auto& u = m.velocity;
  const double cu = dot(velocities[i], u), uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  return velocities[i].weight * m.density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
}

/// BGK, Guo's source and Smagorinsky's relaxation time.
inline Populations collided(const Populations& f, const Fluid& fluid) {
  const Moments m = moments(f, fluid.force);
  double tau = fluid.tau;
  if (fluid.smagorinsky > 0) {
    double stress[3][3] = {};
    for (std::size_t i = 0; i < 19; ++i) {
      const double c[3] = {double(velocities[i].x), double(velocities[i].y),
                           double(velocities[i].z)};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) stress[a][b] += c[a] * c[b] * (f[i] - equilibrium(i, m));
    }
    double square = 0;
    for (const auto& row : stress)
      for (const double q : row) square += q * q;
    const double turbulent =
        18 * std::sqrt(2.0) * std::pow(fluid.smagorinsky, 2) * std::sqrt(square) / m.density;
    tau = (tau + std::sqrt(tau * tau + turbulent)) / 2;
  }
  Populations result{};
  for (std::size_t i = 0; i < 19; ++i) {
    const Velocity& c = velocities[i];
    const auto& u = m.velocity;
    const double direct = dot({c.x, c.y, c.z, 0}, fluid.force) -
                          (u[0] * fluid.force[0] + u[1] * fluid.force[1] + u[2] * fluid.force[2]);
    const double source =
        (1 - 1 / (2 * tau)) * c.weight * (3 * direct + 9 * dot(c, u) * dot(c, fluid.force));
    result[i] = f[i] - (f[i] - equilibrium(i, m)) / tau + source;
  }
  return result;
}

/// A box of cells, periodic in some directions and between walls in the others, some cells solid.
class Lattice {
 public:
  Lattice(std::array<int, 3> cells, std::array<bool, 3> periodic, std::vector<bool> solid)
      : cells_(cells), periodic_(periodic), solid_(std::move(solid)), f_(solid_.size()) {}

  [[nodiscard]] std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>(x + cells_[0] * (y + std::ptrdiff_t{cells_[1]} * z));
  }
  /// Index of a cell up to one beyond the box, brought back where it is periodic; -1 for a solid
  /// cell or a wall.
  [[nodiscard]] std::ptrdiff_t fluid_index(std::array<int, 3> cell) const {
    for (int d = 0; d < 3; ++d) {
      if (periodic_[d]) cell[d] = (cell[d] + cells_[d]) % cells_[d];
      if (cell[d] < 0 || cell[d] >= cells_[d]) return -1;
    }
    const std::size_t n = index(cell[0], cell[1], cell[2]);
    return solid_[n] ? -1 : static_cast<std::ptrdiff_t>(n);
  }
  [[nodiscard]] Populations& at(int x, int y, int z) { return f_[index(x, y, z)]; }

  /// Collision, then streaming with halfway bounce-back: each population comes from the cell
  /// upstream, or turns round if that is solid. Returns the momentum that the solid gained.
  std::array<double, 3> step(const Fluid& fluid) {
    std::vector<Populations> after(f_.size());
    for (std::size_t n = 0; n < f_.size(); ++n)
      if (!solid_[n]) after[n] = collided(f_[n], fluid);
    std::array<double, 3> gained{};
    for (int z = 0; z < cells_[2]; ++z)
      for (int y = 0; y < cells_[1]; ++y)
        for (int x = 0; x < cells_[0]; ++x) {
          if (fluid_index({x, y, z}) < 0) continue;
          const std::size_t here = index(x, y, z);
          for (std::size_t i = 0; i < 19; ++i) {
            const Velocity& c = velocities[i];
            const std::ptrdiff_t upstream = fluid_index({x - c.x, y - c.y, z - c.z});
            if (upstream >= 0) {
              f_[here][i] = after[static_cast<std::size_t>(upstream)][i];
              continue;
            }
            const double sent = after[here][opposite(i)];
            f_[here][i] = sent;
            gained[0] -= 2 * sent * c.x;
            gained[1] -= 2 * sent * c.y;
            gained[2] -= 2 * sent * c.z;
          }
        }
    return gained;
  }

 private:
  std::array<int, 3> cells_;
  std::array<bool, 3> periodic_;
  std::vector<bool> solid_;
  std::vector<Populations> f_;
};

}  // namespace reference
}  // namespace bellwether
