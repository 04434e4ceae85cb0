// SPDX-License-Identifier: MIT
#include "microbench/lbm/plain_lbm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "kernels/launch/backend_test.hpp"
#include "kernels/lbm/lbm.hpp"
#include "kernels/lbm/lbm_reference_test.hpp"

namespace bellwether {
namespace {

/// The reference's number of population i.
std::size_t reference_of(int i) {
  if (i == 0) return 0;
  const auto& c = d3q19::velocity[(i - 1) / 2];
  const int sign = i % 2 == 1 ? 1 : -1;
  return reference::index_of(sign * c[0], sign * c[1], sign * c[2]);
}

/// Random populations on a periodic box, in the plain arrays and in the reference.
template <class T>
class Periodic {
 public:
  explicit Periodic(std::array<int, 3> cells)
      : layout_(cells, sizeof(T)),
        f_(plain_lbm_elements(layout_) / 2, T(-9)),
        to_(f_),
        lattice_(cells, {true, true, true}, std::vector<bool>(layout_.interior().cells())) {
    Random random(7);
    each([&](int x, int y, int z, int i) {
      at(f_, i, x, y, z) =
          T(reference::velocities[reference_of(i)].weight) + T(0.01) * random.value<T>();
    });
    // The arrays hold what leaves the cells, the reference what has arrived.
    fill_ghosts();
    each([&](int x, int y, int z, int i) {
      lattice_.at(x, y, z)[reference_of(i)] = double(arriving(x, y, z, i));
    });
  }
  void step() {
    fill_ghosts();
    plain_lbm_step(layout_, f_.data(), to_.data(), T(0.8));
    std::swap(f_, to_);
    lattice_.step({.tau = double(T(0.8))});
  }
  void expect_same(double tolerance) {
    fill_ghosts();
    each([&](int x, int y, int z, int i) {
      ASSERT_NEAR(arriving(x, y, z, i), lattice_.at(x, y, z)[reference_of(i)], tolerance)
          << "population " << i << " of cell " << x << ' ' << y << ' ' << z;
    });
  }

 private:
  T& at(std::vector<T>& f, int i, int x, int y, int z) {
    return f[static_cast<std::size_t>(i) * layout_.elements() +
             static_cast<std::size_t>(layout_.at(x, y, z))];
  }
  T arriving(int x, int y, int z, int i) {
    const auto& c = reference::velocities[reference_of(i)];
    return at(f_, i, x - c.x, y - c.y, z - c.z);
  }
  template <class Visit>
  void each(const Visit& visit) {
    const auto& [nx, ny, nz] = layout_.cells();
    for (int i = 0; i < 19; ++i)
      for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
          for (int x = 0; x < nx; ++x) visit(x, y, z, i);
  }
  void fill_ghosts() {
    const auto& [nx, ny, nz] = layout_.cells();
    for (int i = 0; i < 19; ++i)
      for (int z = -1; z <= nz; ++z)
        for (int y = -1; y <= ny; ++y)
          for (int x = -1; x <= nx; ++x)
            at(f_, i, x, y, z) = at(f_, i, (x + nx) % nx, (y + ny) % ny, (z + nz) % nz);
  }

  GridLayout layout_;
  std::vector<T> f_, to_;
  reference::Lattice lattice_;
};

TEST(PlainLbm, DoesWhatTheReferenceDoes) {
  each_precision([]<class T>(T) {
    for (const std::array<int, 3> cells : {std::array{1, 1, 1}, {19, 3, 2}, {8, 4, 5}}) {
      Periodic<T> box(cells);
      for (int step = 0; step < 3; ++step) box.step();
      box.expect_same(60 * double(std::numeric_limits<T>::epsilon()));
    }
  });
}

}  // namespace
}  // namespace bellwether
